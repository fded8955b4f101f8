internal import HTTPWire
internal import JSON
internal import TokenBroker

/// A token in the JSON of an SDK. Its end is told as the provider told it: an SDK compares it with the provider's word,
/// not with this host's clock.
struct RouteDocument {
    private let document: JSONObject

    init(_ route: RouteDefinition, _ token: ServedToken, endUser: String?, at now: Moment) {
        let text = JSONValue.string(token.text.revealed)
        let rest = JSONValue.number(JSONNumber(max(0, token.remaining(at: now).wholeSeconds)))
        switch route.shape {
        case .aiAutocomplete:
            document = [
                "access_token": text, "expires_at": Self.date(token.providerExpiry, route.expiryUnit),
                "token_type": "Bearer",
            ]
        case .roadie:
            var members: JSONObject = [
                "token": text, "expires_at": Self.date(token.providerExpiry, route.expiryUnit),
            ]
            members["end_user_id"] = endUser.map(JSONValue.string)
            document = members
        case .appAIGateway:
            document = ["access_token": text, "expires_in": rest]
        case .oauth2:
            var members: JSONObject = ["access_token": text, "token_type": "Bearer", "expires_in": rest]
            members["scope"] = token.scope.map { .string($0.text) }
            document = members
        }
    }

    var response: HTTPResponse { HTTPResponse(json: .object(document)) }

    private static func date(_ instant: WallInstant, _ unit: RouteDefinition.ExpiryUnit) -> JSONValue {
        switch unit {
        case .seconds: .number(JSONNumber(instant.unixSeconds))
        case .milliseconds: .number(JSONNumber(instant.milliseconds))
        case .rfc3339: .string(instant.rfc3339)
        }
    }
}
