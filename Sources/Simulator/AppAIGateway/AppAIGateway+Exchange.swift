internal import HTTPWire
internal import JSON

extension AppAIGateway {
    /// `POST /v1/apps/APP/auth/token`: an API key and a user's issuer token in, a gateway token out.
    ///
    /// The checks are in the service's order. The limit comes before all others, so what is malformed uses it up too;
    /// a key that is wrong is refused without a look at the issuer token.
    func exchange(_ appID: String, _ request: ProviderRequest) throws(GatewayRefusal) -> ProviderAnswer {
        try admit(appID, endpoint: "token", request)
        guard let body = (try? JSONValue(parsing: request.http.body))?.object else {
            throw GatewayRefusal(.invalidRequest)
        }
        guard try app(appID).endUser == .issuer else { throw GatewayRefusal(.authMethodNotSupported, status: 400) }
        // Nothing but these two: the service takes no member that it does not know.
        guard body.members.count == 2, let keyText = body["api_key"]?.string, !keyText.isEmpty,
            let issuerToken = body["issuer_token"]?.string, !issuerToken.isEmpty
        else { throw GatewayRefusal(.invalidRequest) }
        guard let key = keys.use(keyText, of: appID, nowMilliseconds: request.nowMilliseconds) else {
            throw GatewayRefusal(.authRequired, status: 403)
        }
        let user = try user(issuerToken, nowMilliseconds: request.nowMilliseconds)
        if blockedUsers.contains(user) { throw GatewayRefusal(.authRequired, status: 403) }
        let token = token(for: Subject(app: appID, keyID: key.id, user: user), request)
        return ProviderAnswer(.minted, .gateway(200, .object(answer(token, request))))
    }

    /// `POST /v1/apps/APP/auth/challenge` and `register`, which apps with API keys do not have.
    func attest(
        _ appID: String,
        endpoint: String,
        _ request: ProviderRequest
    ) throws(GatewayRefusal) -> ProviderAnswer {
        try admit(appID, endpoint: endpoint, request)
        _ = try app(appID)
        throw GatewayRefusal(.authMethodNotSupported, status: 403)
    }

    /// Counts a request to one of the endpoints below `auth`, each by itself. All callers come from this machine, so the
    /// service's limit by address is one for all of them.
    private func admit(_ appID: String, endpoint: String, _ request: ProviderRequest) throws(GatewayRefusal) {
        let limit = settings.exchangesPerMinute
        let usage = windows.admit("\(endpoint) \(appID)", limit: limit, nowMilliseconds: request.nowMilliseconds)
        if !usage.isAdmitted { throw .rateLimited(endpoint, limit: limit, usage) }
    }

    /// Whom an issuer token names.
    private func user(_ issuerToken: String, nowMilliseconds: Int64) throws(GatewayRefusal) -> String {
        guard let claims = JSONWebToken.claims(of: issuerToken) else { throw GatewayRefusal(.issuerTokenRejected) }
        if !settings.issuerAvailable { throw GatewayRefusal(.issuerVerificationUnavailable) }
        guard let user = claims["sub"]?.string, !user.isEmpty, let expiry = claims["exp"]?.number?.int64,
            expiry > nowMilliseconds / 1000
        else { throw GatewayRefusal(.issuerTokenRejected) }
        if claims["entitled"] == false || usersWithoutClaims.contains(user) {
            throw GatewayRefusal(.issuerClaimsMissing)
        }
        return user
    }

    private func token(for subject: Subject, _ request: ProviderRequest) -> MintedTokens<Subject>.Token {
        if request.behaviour.sameToken == true, let token = tokens.latest(for: subject) { return token }
        let now = request.nowMilliseconds / 1000
        let expiry = now + (request.behaviour.lifetimeSeconds ?? lifetimeSeconds)
        let text = settings.opaqueTokens ? RandomText.hexadecimal(bytes: 32) : jwt(subject, from: now, to: expiry)
        return tokens.mint(text, for: subject, expiresAtMilliseconds: expiry * 1000)
    }

    private func jwt(_ subject: Subject, from now: Int64, to expiry: Int64) -> String {
        JSONWebToken.text([
            "app": .string(subject.app),
            "auth_method": "api_key",
            "api_key_id": .string(subject.keyID),
            "sub": .string(subject.user),
            "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(expiry)),
            "jti": .string(RandomText.hexadecimal(bytes: 16)),
        ])
    }

    private func answer(_ token: MintedTokens<Subject>.Token, _ request: ProviderRequest) -> JSONObject {
        var body: JSONObject = ["access_token": .string(token.text)]
        body["expires_in"] = (request.behaviour.expiresAtForm ?? .seconds).relativeJSON(
            unixMilliseconds: token.expiresAtMilliseconds,
            now: request.nowMilliseconds
        )
        body["verify_on"] = settings.verifyOn.map(JSONValue.string)
        return body
    }
}
