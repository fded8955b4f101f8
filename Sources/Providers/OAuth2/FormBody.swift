/// A body of `application/x-www-form-urlencoded` (RFC 6749, appendix B).
struct FormBody {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ name: String, _ value: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes += "\(Self.encoded(name))=\(Self.encoded(value))".utf8
    }

    /// A space is a plus sign, and all but letters, digits and `-._*` is escaped.
    static func encoded(_ text: String) -> String {
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "): encoded.append(UInt8(ascii: "+"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "*"):
                encoded.append(byte)
            default:
                encoded += (byte < 16 ? "%0" : "%").utf8
                encoded += String(byte, radix: 16, uppercase: true).utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
