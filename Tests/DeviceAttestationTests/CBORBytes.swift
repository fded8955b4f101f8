/// Writes CBOR (RFC 8949) for the tests, right or wrong as they need it.
enum CBORBytes {
    static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let type = major << 5
        switch argument {
        case 0..<24: return [type | UInt8(argument)]
        case 24...0xFF: return [type | 24, UInt8(argument)]
        case 0x100...0xFFFF: return [type | 25] + bigEndian(argument, 2)
        case 0x1_0000...0xFFFF_FFFF: return [type | 26] + bigEndian(argument, 4)
        default: return [type | 27] + bigEndian(argument, 8)
        }
    }

    static func number(_ number: Int64) -> [UInt8] {
        number < 0 ? head(1, UInt64(bitPattern: ~number)) : head(0, UInt64(number))
    }

    static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, UInt64(bytes.count)) + bytes }
    static func text(_ text: String) -> [UInt8] { head(3, UInt64(text.utf8.count)) + Array(text.utf8) }
    static func array(_ elements: [[UInt8]]) -> [UInt8] { head(4, UInt64(elements.count)) + elements.flatMap { $0 } }

    /// Keys and values by turns.
    static func map(_ items: [UInt8]...) -> [UInt8] { head(5, UInt64(items.count / 2)) + items.flatMap { $0 } }

    static func bigEndian(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }
}
