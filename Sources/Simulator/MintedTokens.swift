/// The access tokens that were minted and not revoked.
///
/// `Purpose` is what a token was minted for: a key and a product, a session, a client and its scope.
struct MintedTokens<Purpose: Equatable> {
    struct Token {
        let text: String
        let purpose: Purpose
        let expiresAtMilliseconds: Int64
    }

    private var tokens: [String: Token] = [:]
    private var latest: Token?

    mutating func mint(_ text: String, for purpose: Purpose, expiresAtMilliseconds: Int64) -> Token {
        let token = Token(text: text, purpose: purpose, expiresAtMilliseconds: expiresAtMilliseconds)
        tokens[text] = token
        latest = token
        return token
    }

    /// The token minted last, where it was minted for the same.
    func latest(for purpose: Purpose) -> Token? {
        latest.flatMap { $0.purpose == purpose ? $0 : nil }
    }

    /// What the token was minted for; nil where it is over, revoked or was never minted.
    func live(_ text: String, nowMilliseconds: Int64) -> Purpose? {
        tokens[text].flatMap { nowMilliseconds < $0.expiresAtMilliseconds ? $0.purpose : nil }
    }

    /// - Returns: How many were revoked.
    mutating func revoke(_ text: String) -> Int {
        tokens.removeValue(forKey: text) == nil ? 0 : 1
    }

    /// - Returns: How many were revoked.
    mutating func revokeAll() -> Int {
        defer { tokens = [:] }
        return tokens.count
    }

    /// Revokes every token minted for that.
    mutating func revokeAll(for purpose: Purpose) {
        tokens = tokens.filter { $0.value.purpose != purpose }
    }
}
