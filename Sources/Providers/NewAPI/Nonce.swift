/// Texts that no two requests have in common.
enum Nonce {
    /// A random UUID (RFC 9562 §5.4) in capitals, as Apple's systems print one.
    static func uuid(using random: inout some RandomNumberGenerator) -> String {
        let version: UInt64 = 4 << 12
        let variant: UInt64 = 0b10 << 62
        let high = random.next() & ~(0xF << 12) | version
        let low = random.next() & ~(0b11 << 62) | variant
        let digits = hexadecimal(high) + hexadecimal(low)
        var rest = digits[...]
        let groups = [8, 4, 4, 4, 12].map { length in
            defer { rest.removeFirst(length) }
            return rest.prefix(length)
        }
        return groups.joined(separator: "-")
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
