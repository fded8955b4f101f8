internal import HTTPWire
internal import JSON

/// AI Autocomplete: `POST /api/auth/token` mints an access token for a secret key, `POST /api/suggest` takes it.
///
/// Source: ai-autocomplete.com/docs/http. What is not published and was chosen here: the statuses 404, 405 and 415, the
/// error codes other than `INVALID_SECRET_KEY`, the lifetime, and that revoking a key leaves its tokens alive.
///
/// Of its own on the control API:
/// - `POST keys` with `{"add": "sk_v1_…"}` or `{"revoke": "sk_v1_…"}`; `pk_v1_` keys as well.
/// - `POST revoke` with `{"token": "at_v1_…"}`, or without a body for all tokens.
final class AIAutocomplete: SimulatedProvider {
    /// What a token was minted for.
    struct Purpose: Equatable {
        let secretKey: String
        let product: String
    }

    /// Where the service would hold its accounts.
    struct Account {
        var keys: Set<String>
        /// The products that exist; empty where every UUID is one.
        var products: Set<String>
        var lifetimeSeconds: Int64
    }

    let name = "ai-autocomplete"
    var account: Account
    var tokens = MintedTokens<Purpose>()

    init(_ account: Account) {
        self.account = account
    }

    func answer(_ request: ProviderRequest) -> ProviderAnswer {
        guard request.path == "/api/auth/token" || request.path == "/api/suggest" else {
            return failure(404, "NOT_FOUND", "There is nothing here.")
        }
        guard request.http.method == .post else {
            let response = HTTPResponse.json(
                405,
                Self.error("METHOD_NOT_ALLOWED", "Use POST."),
                headers: [HeaderField(constant: "Allow", "POST")]
            )
            return ProviderAnswer(.other, response)
        }
        return request.path == "/api/suggest" ? suggest(request) : mint(request)
    }

    func failure(status: Int, _ request: ProviderRequest) -> HTTPResponse {
        let body =
            switch status {
            case 401: Self.error("INVALID_SECRET_KEY", "The secret key is invalid.")
            case 429: Self.error("RATE_LIMITED", "Too many requests.")
            default: Self.error("SIMULATED_FAULT", "The simulator was told to answer \(status).")
            }
        return .json(status, body)
    }

    func control(_ action: String, _ members: JSONObject) throws(ControlRefusal) -> JSONValue? {
        switch action {
        case "keys":
            try changeKeys(members)
            return ["keys": .number(JSONNumber(Int64(account.keys.count)))]
        case "revoke":
            return ["revoked": .number(JSONNumber(Int64(try revoke(members))))]
        default:
            return nil
        }
    }

    private func changeKeys(_ members: JSONObject) throws(ControlRefusal) {
        guard members.members.count == 1, let member = members.members.first, let key = member.value.string,
            key.hasPrefix("sk_v1_") || key.hasPrefix("pk_v1_")
        else { throw ControlRefusal("keys takes add or revoke, with a key that begins with sk_v1_ or pk_v1_") }
        switch member.name {
        case "add": account.keys.insert(key)
        case "revoke": account.keys.remove(key)
        default: throw ControlRefusal("keys takes add or revoke")
        }
    }

    private func revoke(_ members: JSONObject) throws(ControlRefusal) -> Int {
        if members.members.isEmpty { return tokens.revokeAll() }
        guard members.members.count == 1, let token = members["token"]?.string else {
            throw ControlRefusal("revoke takes token, or nothing for all tokens")
        }
        return tokens.revoke(token)
    }
}

extension AIAutocomplete {
    /// The one form in which the service says what is wrong.
    static func error(_ code: String, _ message: String) -> JSONValue {
        ["error": ["code": .string(code), "message": .string(message)]]
    }

    func failure(_ status: Int, _ code: String, _ message: String) -> ProviderAnswer {
        ProviderAnswer(status == 401 ? .refused : .other, .json(status, Self.error(code, message)))
    }
}

extension HTTPRequest {
    /// What follows `Bearer` in the one Authorization field; the scheme's case does not matter (RFC 9110 section 11.1).
    var bearerCredential: String? {
        let values = headers.values("Authorization")
        guard values.count == 1, let value = values.first, value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst("bearer ".count))
    }

    /// Whether the body says that it is JSON, whatever parameters follow.
    var isJSON: Bool {
        let mediaType = headers.first("Content-Type")?.prefix { $0 != ";" && $0 != " " }
        return mediaType?.lowercased() == "application/json"
    }
}
