internal import HTTPWire
internal import JSON
internal import TokenBroker

/// The answer to `GET /v1/tokens/NAME`.
struct TokenDocument {
    let name: Name
    let token: ServedToken
    let isDegraded: Bool

    func response(at now: Moment) -> HTTPResponse {
        let expiry = token.isEndless ? nil : token.expiry(onHostClockAt: now)
        let refresh = token.isEndless ? nil : now.wall.advanced(by: token.clientRefreshPoint.since(now.boot))
        let document: JSONValue = [
            "name": .string(name.text),
            "access_token": .string(token.text.revealed),
            "token_type": "Bearer",
            "expires_at": .number(ifAny: expiry?.unixSeconds),
            "expires_at_ms": .number(ifAny: expiry?.milliseconds),
            "expires_in": .number(ifAny: token.isEndless ? nil : expiresIn(at: now)),
            "refresh_at": .number(ifAny: refresh?.unixSeconds),
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

extension JSONValue {
    /// Null for a number that there is none of.
    fileprivate static func number(ifAny value: Int64?) -> JSONValue {
        value.map { .number(JSONNumber($0)) } ?? .null
    }
}
