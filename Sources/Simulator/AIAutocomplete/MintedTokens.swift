/// The access tokens that were minted and not revoked.
struct MintedTokens {
    struct Token {
        let text: String
        let secretKey: String
        let product: String
        let expiresAtMilliseconds: Int64
    }

    private var tokens: [String: Token] = [:]
    private var latest: Token?

    mutating func mint(secretKey: String, product: String, expiresAtMilliseconds: Int64) -> Token {
        let token = Token(
            text: "at_v1_" + RandomText.hexadecimal(bytes: 24),
            secretKey: secretKey,
            product: product,
            expiresAtMilliseconds: expiresAtMilliseconds
        )
        tokens[token.text] = token
        latest = token
        return token
    }

    /// The token minted last, where it was minted for the same key and product.
    func latest(secretKey: String, product: String) -> Token? {
        latest.flatMap { $0.secretKey == secretKey && $0.product == product ? $0 : nil }
    }

    func isLive(_ text: String, nowMilliseconds: Int64) -> Bool {
        tokens[text].map { nowMilliseconds < $0.expiresAtMilliseconds } ?? false
    }

    /// - Parameter text: Nil revokes all.
    /// - Returns: How many were revoked.
    mutating func revoke(_ text: String?) -> Int {
        if let text { return tokens.removeValue(forKey: text) == nil ? 0 : 1 }
        defer { tokens = [:] }
        return tokens.count
    }
}
