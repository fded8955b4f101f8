internal import HTTPWire
internal import JSON
internal import TokenBroker

/// The answer to `GET /v1/tokens/NAME`.
struct TokenDocument {
    let name: Name
    let token: ServedToken
    let isDegraded: Bool

    func response(at now: Moment) -> HTTPResponse {
        let expiry = token.expiry(onHostClockAt: now)
        let refresh = now.wall.advanced(by: token.clientRefreshPoint.since(now.boot))
        let document: JSONValue = [
            "name": .string(name.text),
            "access_token": .string(token.text.revealed),
            "token_type": "Bearer",
            "expires_at": .number(JSONNumber(expiry.unixSeconds)),
            "expires_at_ms": .number(JSONNumber(expiry.milliseconds)),
            "expires_in": .number(JSONNumber(expiresIn(at: now))),
            "refresh_at": .number(JSONNumber(refresh.unixSeconds)),
            "generation": .number(JSONNumber(token.generation.number)),
            "degraded": .bool(isDegraded),
        ]
        return HTTPResponse(
            status: 200,
            headers: [.jsonType, .noStore, .entityTag(token.generation.number)],
            body: document.serialized()
        )
    }

    /// Whole seconds left, rounded down.
    func expiresIn(at now: Moment) -> Int64 {
        max(0, token.remaining(at: now).wholeSeconds)
    }
}
