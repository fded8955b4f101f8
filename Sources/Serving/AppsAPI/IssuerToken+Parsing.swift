internal import Digests
internal import JSON
internal import TokenBroker

extension IssuerToken {
    /// Takes a token as a caller gave it. Where it is a JWT its claims are looked at for the end, and for nothing else:
    /// its signature is the provider's to judge.
    ///
    /// - Returns: nil for a text that is too long or cannot be a token.
    init?(parsing text: String) {
        guard text.utf8.count <= Self.maximumLength, let token = TokenText(text) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let claims = parts.count == 3 ? Base64.urlSafeBytes(parts[1]).flatMap { try? JSONValue(parsing: $0) } : nil
        let end = claims?["exp"]?.number.flatMap { WallInstant(unixSeconds: $0.literal) }
        self.init(token, statedEnd: end)
    }

    /// SHA-256 of the whole token, in hexadecimal.
    var digest: String {
        Hexadecimal.text(SHA256.digest(of: Array(text.revealed.utf8)))
    }
}
