internal import COpenSSL

/// Base64 (RFC 4648).
enum Base64 {
    /// The standard alphabet, with padding.
    static func encoded(_ bytes: [UInt8]) -> String {
        // OpenSSL ends the text with a zero byte.
        let capacity = (bytes.count + 2) / 3 * 4 + 1
        let text = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = Int(EVP_EncodeBlock(output.baseAddress, bytes, Int32(bytes.count)))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The alphabet for URLs, without padding, as JSON web tokens have it.
    static func urlEncoded(_ bytes: [UInt8]) -> String {
        let text = encoded(bytes).filter { $0 != "=" }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// Reads the alphabet for URLs; nil where the text is anything else.
    static func urlDecoded(_ text: String) -> [UInt8]? {
        let letters = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = repeatElement(Character("="), count: (4 - letters.count % 4) % 4)
        return decoded(String(letters + padding))
    }

    /// Reads the standard alphabet with its padding; nil where the text is anything else.
    static func decoded(_ text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        var isDecoded = false
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count) { output, count in
            let decoded = EVP_DecodeBlock(output.baseAddress, text, Int32(text.count))
            isDecoded = decoded >= 0
            // OpenSSL counts the bytes that the padding stands for.
            let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
            count = max(Int(decoded) - padding, 0)
        }
        // Only the one spelling: OpenSSL also takes white space, and bits in the last letter that stand for nothing.
        return isDecoded && encoded(bytes).utf8.elementsEqual(text) ? bytes : nil
    }
}
