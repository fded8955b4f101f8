/// A set of ASCII bytes; one shift and one mask to look into.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ members: some Sequence<UInt8>) {
        for member in members where member < 0x80 {
            if member < 64 { low |= 1 << UInt64(member) } else { high |= 1 << UInt64(member - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        let word = byte < 64 ? low : high
        return byte < 0x80 && word >> UInt64(byte & 63) & 1 == 1
    }
}

extension ByteSet {
    private static let alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

    /// `tchar` of RFC 9110 section 5.6.2: methods and field names.
    static let token = ByteSet(("!#$%&'*+-.^_`|~" + alphanumeric).utf8)

    /// What a `Host` may be made of (RFC 3986 section 3.2.2, without user information).
    static let host = ByteSet(("-._~%!$&'()*+,;=:[]" + alphanumeric).utf8)

    static let digit = ByteSet("0123456789".utf8)

    /// What a request target is made of here: every printable byte but the space and the fragment's `#`.
    static let target = ByteSet((0x21...0x7E).filter { $0 != UInt8(ascii: "#") })

    /// `unreserved` of RFC 3986 section 2.3: what is never percent-encoded.
    static let unreserved = ByteSet(("-._~" + alphanumeric).utf8)
}

extension UInt8 {
    static var carriageReturn: UInt8 { 0x0D }
    static var lineFeed: UInt8 { 0x0A }

    /// Space or tab, what may stand around a field's value.
    var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// A byte that must not occur within a line: any control character but the tab.
    var isControl: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }

    var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    /// The letters A to Z in lower case, every other byte as it is.
    var lowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }

    var hexDigitValue: UInt8? {
        if isDigit { return self - UInt8(ascii: "0") }
        let letter = lowercased &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}
