/// The names and values of a query such as `min_ttl=60&end_user=a%40b`, as `application/x-www-form-urlencoded` has them.
///
/// That format, rather than RFC 3986 alone, is what curl's `--data-urlencode`, browsers, Go and Python write: a `+` is a
/// space, and a plus sign is `%2B`. Names that occur twice are kept twice; whoever asks decides what that means.
public struct QueryItems: Sendable {
    public private(set) var items: [(name: String, value: String)] = []

    public init() {}

    /// Decodes a query; nil where an escape is not two hexadecimal digits or the text is not UTF-8.
    ///
    /// A decoded name or value may hold any character, control characters too.
    public init?(parsing query: ArraySlice<UInt8>) {
        for item in query.split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = Self.decoded(name),
                let decodedValue = Self.decoded(item[name.endIndex...].dropFirst())
            else { return nil }
            items.append((decodedName, decodedValue))
        }
    }

    /// The values of every item of that name, in order.
    public func values(_ name: String) -> [String] {
        items.filter { $0.name == name }.map(\.value)
    }

    public mutating func append(_ name: String, _ value: String) {
        items.append((name, value))
    }

    /// The query to put behind a `?`. A space becomes `%20`, which every reader of either format understands.
    public var encoded: String {
        items.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func encoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if ByteSet.unreserved.contains(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
