import JSON

/// JSON web tokens, whose signatures nobody here checks.
enum JWT {
    static func text(_ claims: JSONObject) -> String {
        let header: JSONValue = ["alg": "RS256"]
        let parts = [header.serialized(), JSONValue.object(claims).serialized(), Array("signature".utf8)]
        return parts.map(base64URL).joined(separator: ".")
    }

    /// A user's token, as an identity provider gives one.
    static func issuerToken(_ user: String, secondsLeft: Int64 = 600) -> String {
        let end = WallClock.milliseconds / 1000 + secondsLeft
        return text(["sub": .string(user), "exp": .number(JSONNumber(end))])
    }

    /// When one ends by its own word, in Unix seconds.
    static func end(of text: String) throws -> Int64 {
        let parts = text.split(separator: ".")
        guard parts.count == 3, let end = try JSONValue(parsing: bytes(base64URL: parts[1]))["exp"]?.number?.int64
        else {
            throw HarnessError("not a JSON web token with an end")
        }
        return end
    }

    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private static func base64URL(_ bytes: [UInt8]) -> String {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0...group.count { text.append(letters[bits >> (18 - 6 * index) & 63]) }
        }
        return text
    }

    private static func bytes(base64URL text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for letter in text {
            bits = (bits << 6 | (letters.firstIndex(of: letter) ?? 0)) & 0xFFFF
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bytes
    }
}
