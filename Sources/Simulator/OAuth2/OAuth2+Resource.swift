internal import HTTPWire
internal import JSON

extension OAuth2 {
    /// `GET /resource`: proves that a token works, and says what it was granted.
    func resource(_ request: ProviderRequest) -> ProviderAnswer {
        guard let token = request.http.bearerCredential else {
            return unauthorized(HeaderField(constant: "WWW-Authenticate", "Bearer realm=\"simulator\""), "unauthorized")
        }
        guard let grant = tokens.live(token, nowMilliseconds: request.nowMilliseconds) else {
            let challenge = HeaderField(
                constant: "WWW-Authenticate",
                "Bearer realm=\"simulator\", error=\"invalid_token\""
            )
            return unauthorized(challenge, "invalid_token")
        }
        let body: JSONValue = [
            "client_id": .string(grant.client),
            "scope": .string(grant.scope.joined(separator: " ")),
            "audience": grant.audience.map(JSONValue.string) ?? .null,
            "resource": .array(grant.resources.map(JSONValue.string)),
        ]
        return ProviderAnswer(.other, .json(200, body))
    }

    /// RFC 6750 section 3.1: who shows no token is not told of an error.
    private func unauthorized(_ challenge: HeaderField, _ code: String) -> ProviderAnswer {
        ProviderAnswer(.refused, .json(401, ["error": .string(code)], headers: [challenge]))
    }
}
