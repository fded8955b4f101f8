internal import TokenBroker

/// The key that everything in the store is encrypted under: 32 bytes.
struct StoreKey {
    static let length = 32

    let secret: Secret

    /// Reads what a key file holds: the bytes themselves, or 64 hexadecimal digits and at most one line feed.
    ///
    /// - Returns: nil when it is neither.
    init?(_ content: UnsafeRawBufferPointer) {
        if content.count == Self.length {
            secret = Secret(content)
            return
        }
        let digits = content.last == UInt8(ascii: "\n") ? content.dropLast() : content[...]
        guard digits.count == 2 * Self.length else { return nil }
        var key = Plaintext(capacity: Self.length)
        for index in 0..<Self.length {
            let position = digits.startIndex + 2 * index
            guard let high = Self.value(of: digits[position]), let low = Self.value(of: digits[position + 1]) else {
                return nil
            }
            key.append(byte: high << 4 | low)
        }
        secret = key.withBytes { Secret($0) }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
