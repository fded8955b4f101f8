/// Bytes as two lower-case digits each.
public enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    public static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// - Returns: nil for anything but pairs of digits, of either case.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let nibbles = text.utf8.map(value)
        guard nibbles.count.isMultiple(of: 2), !nibbles.contains(nil) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0]! << 4 | nibbles[$0 + 1]! }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
