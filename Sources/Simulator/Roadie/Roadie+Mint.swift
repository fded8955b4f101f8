internal import HTTPWire
internal import JSON

extension Roadie {
    private static let defaultScopes = ["ai.chat", "ai.embed"]

    /// `POST /v1/client-tokens`: a secret key and an end user in, a client token out. Asked again it mints again,
    /// whatever stands in an Idempotency-Key.
    func mint(_ request: ProviderRequest) throws(RoadieRefusal) -> ProviderAnswer {
        guard let key = request.http.bearerCredential, keys.contains(key) else { throw RoadieRefusal(.authentication) }
        guard key.hasPrefix("rd_sk_") else { throw RoadieRefusal(.permission, code: "secret_key_required") }
        let mint = try RoadieMint(try? JSONValue(parsing: request.http.body))
        try admit(mint.endUser)
        if attributes[mint.endUser] == nil { attributes[mint.endUser] = mint.attributes ?? JSONObject() }
        let token = token(for: mint, request)
        var body: JSONObject = ["token": .string(token.text)]
        body["expires_at"] = (request.behaviour.expiresAtForm ?? .rfc3339).json(
            unixMilliseconds: token.expiresAtMilliseconds,
            now: request.nowMilliseconds
        )
        body["end_user_id"] = .string(mint.endUser)
        return ProviderAnswer(.minted, .json(201, .object(body)))
    }

    /// Refuses an end user who is blocked or has used up the quota.
    func admit(_ endUser: String) throws(RoadieRefusal) {
        if blockedUsers.contains(endUser) { throw RoadieRefusal(.permission, code: "end_user_blocked") }
        if exhaustedUsers.contains(endUser) { throw RoadieRefusal(.quota) }
    }

    private func token(for mint: RoadieMint, _ request: ProviderRequest) -> MintedTokens<Subject>.Token {
        let subject = Subject(endUser: mint.endUser, plan: mint.plan, scopes: mint.scopes ?? Self.defaultScopes)
        if request.behaviour.sameToken == true, let token = tokens.latest(for: subject) { return token }
        let now = request.nowMilliseconds / 1000
        let expiry = now + (request.behaviour.lifetimeSeconds ?? mint.lifetimeSeconds ?? lifetimeSeconds)
        let text = JSONWebToken.text([
            "sub": .string(subject.endUser),
            "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(expiry)),
            "jti": .string(RandomText.hexadecimal(bytes: 16)),
        ])
        return tokens.mint(text, for: subject, expiresAtMilliseconds: expiry * 1000)
    }
}
