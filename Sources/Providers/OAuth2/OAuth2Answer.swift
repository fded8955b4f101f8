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

    func mint() throws(MintFailure) -> Mint {
        let document = try answer.success(refusal: Self.refusal)
        let text = try answer.token("access_token", in: document)
        try answer.requireBearer(in: document)
        return answer.mint(text, try answer.expiry(secondsFromNow: "expires_in", in: document))
    }

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
            answer.failure(.rateLimited(retryAfter: answer.response.retryAfter), "the provider asks for a pause")
        default:
            nil
        }
    }
}
