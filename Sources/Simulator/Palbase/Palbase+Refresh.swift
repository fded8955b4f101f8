internal import HTTPWire
internal import JSON

extension Palbase {
    /// `POST /auth/token/refresh`: refresh token in, access token and the next refresh token out.
    func refresh(_ request: ProviderRequest) throws(PalbaseRefusal) -> ProviderAnswer {
        if request.http.headers.count(of: "Authorization") > 0 { throw .bearerNotAllowed }
        let key = try projectKey(request)
        guard let text = (try? JSONValue(parsing: request.http.body))?["refresh_token"]?.string, !text.isEmpty else {
            throw .invalidRequest
        }
        guard isAdmitted(text, key.ref, request) else { return tooManyRefreshes(request) }
        let successor = RandomText.hexadecimal(bytes: 32)
        let session = try spend(text, key.ref, successor, request)
        return ProviderAnswer(.minted, answer(for: session, successor, request))
    }

    /// Counts the refresh towards its session's limit; a token of no session has none.
    private func isAdmitted(_ text: String, _ project: String, _ request: ProviderRequest) -> Bool {
        guard let session = refreshTokens.session(of: text, project: project) else { return true }
        return limit.admits(
            session.id,
            limit: request.behaviour.refreshesPerMinute ?? RefreshLimit.defaultCount,
            nowMilliseconds: request.nowMilliseconds
        )
    }

    private func spend(
        _ text: String,
        _ project: String,
        _ successor: String,
        _ request: ProviderRequest
    ) throws(PalbaseRefusal) -> RefreshTokens.Session {
        let lifetime = request.behaviour.refreshLifetimeSeconds ?? Self.defaultRefreshLifetimeSeconds
        do throws(RefreshTokens.Refusal) {
            return try refreshTokens.spend(
                text,
                project: project,
                successor: successor,
                grace: (request.behaviour.graceSeconds ?? Self.defaultGraceSeconds) * 1000,
                expiresAt: request.nowMilliseconds + lifetime * 1000,
                nowMilliseconds: request.nowMilliseconds
            )
        } catch {
            switch error {
            case .unknown: throw .invalidToken
            case .expired: throw .expiredToken
            case .reused: throw .reusedToken
            case .sessionRevoked: throw .revokedSession
            }
        }
    }

    private func answer(
        for session: RefreshTokens.Session,
        _ successor: String,
        _ request: ProviderRequest
    ) -> HTTPResponse {
        let token = accessToken(for: session, request)
        var body: JSONObject = [
            "access_token": .string(token.text),
            "refresh_token": .string(successor),
            "token_type": "Bearer",
        ]
        body["expires_in"] = (request.behaviour.expiresAtForm ?? .seconds).relativeJSON(
            unixMilliseconds: token.expiresAtMilliseconds,
            now: request.nowMilliseconds
        )
        return .json(200, .object(body), headers: [.noStore])
    }

    private func accessToken(
        for session: RefreshTokens.Session,
        _ request: ProviderRequest
    ) -> MintedTokens<RefreshTokens.Session>.Token {
        if request.behaviour.sameToken == true, let token = accessTokens.latest(for: session) { return token }
        // Whole seconds, as the claims have them: a token is dead from the very second it is said to end.
        let now = request.nowMilliseconds / 1000
        let expiry = now + (request.behaviour.lifetimeSeconds ?? Self.defaultLifetimeSeconds)
        return accessTokens.mint(
            SessionToken.text(for: session, issuedAtSeconds: now, expiresAtSeconds: expiry),
            for: session,
            expiresAtMilliseconds: expiry * 1000
        )
    }
}
