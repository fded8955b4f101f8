internal import JSON
internal import TokenBroker
internal import Upstream

/// What an answer of a token endpoint means (RFC 6749 §5; RFC 8707 §2 for `invalid_target`).
struct OAuth2Answer {
    /// What says that the client's id and secret are no good: some servers call them an invalid grant.
    static let clientCodes: Set = ["invalid_client", "invalid_grant"]

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    /// - Parameter scope: what was asked for, and what is granted where the answer names none (§5.1).
    func mint(asking scope: String?) throws(MintFailure) -> Mint {
        let document = try answer.success(refusal: Self.refusal)
        let text = try answer.token("access_token", in: document)
        try answer.requireBearer(in: document)
        var mint = answer.mint(text, try answer.expiry(secondsFromNow: "expires_in", in: document))
        mint.scope = (Self.scope(document["scope"]) ?? scope).map(GrantedScope.init)
        return mint
    }

    /// - Returns: nil for what is no scope (§3.3), or longer than any.
    private static func scope(_ value: JSONValue?) -> String? {
        guard let text = value?.string, (1...longestScope).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return text
    }

    private static let longestScope = 4096

    private static func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch answer.errorCode {
        case let code? where clientCodes.contains(code):
            answer.failure(
                .secretRejected,
                "the provider refused the client; check client_id and client_auth, and put a valid secret in its place"
            )
        case "invalid_request", "invalid_scope", "invalid_target", "unauthorized_client", "unsupported_grant_type",
            "access_denied":
            answer.failure(
                .requestRejected,
                "the provider calls the request wrong; check scope, audience, resource and what the client may do"
            )
        case "temporarily_unavailable", "server_error":
            answer.unavailable
        case "slow_down":
            answer.failure(.rateLimited, "the provider asks for a pause")
        default:
            nil
        }
    }
}
