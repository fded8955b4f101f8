/// Base64 (RFC 4648).
public enum Base64 {
    private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// With the standard alphabet and padding (§4).
    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
            for position in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * position) & 63)
                text.append(position <= group.count ? standard[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// With the URL-safe alphabet and no padding (§5).
    public static func urlSafeText(_ bytes: [UInt8]) -> String {
        let characters = text(bytes).utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        return String(decoding: Array(characters), as: UTF8.self)
    }

    /// Reads the standard alphabet with its padding (§4).
    ///
    /// - Returns: nil for any other character, and for a text that no bytes have.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 4) else { return nil }
        return bytes(unpadded(text), lastCharacters: "+/")
    }

    /// Reads the URL-safe alphabet without padding (§5).
    ///
    /// - Returns: nil on the same terms.
    public static func urlSafeBytes(_ text: some StringProtocol) -> [UInt8]? {
        bytes(text.utf8, lastCharacters: "-_")
    }

    /// Reads either alphabet, with its padding or without: what apps send that have the one at hand and not the other.
    ///
    /// - Returns: nil on the same terms, and for a text of both alphabets.
    public static func lenientBytes(_ text: some StringProtocol) -> [UInt8]? {
        let characters = unpadded(text)
        return bytes(characters, lastCharacters: "+/") ?? bytes(characters, lastCharacters: "-_")
    }

    /// The text without its padding, which there is only where it fills up four characters.
    private static func unpadded(_ text: some StringProtocol) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return characters }
        return characters.dropLast(characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count)
    }

    private static func bytes(_ text: some Sequence<UInt8>, lastCharacters: StaticString) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            guard let value = value(character, lastCharacters) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= 1 << UInt32(count) - 1
        }
        // What is left over is padding bits: fewer than a character's, and all zero.
        return count < 6 && bits == 0 ? bytes : nil
    }

    /// - Parameter lastCharacters: the two in which the alphabets differ.
    private static func value(_ character: UInt8, _ lastCharacters: StaticString) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case lastCharacters.utf8Start[0]: 62
        case lastCharacters.utf8Start[1]: 63
        default: nil
        }
    }
}
