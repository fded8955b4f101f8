internal import HTTPWire
internal import JSON

/// What the gateway answers instead of doing what was asked.
struct GatewayRefusal: Error {
    let code: GatewayErrorCode
    let status: Int
    private let data: JSONObject
    private let retryAfterSeconds: Int64?

    /// - Parameter status: Nil for the one that the code mostly comes with.
    init(
        _ code: GatewayErrorCode,
        status: Int? = nil,
        data: JSONObject = JSONObject(),
        retryAfterSeconds: Int64? = nil
    ) {
        self.code = code
        self.status = status ?? code.status
        self.data = data
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The envelope, with the only header field by which the gateway speaks of limits.
    var response: HTTPResponse {
        var error: JSONObject = ["code": .string(code.rawValue), "message": .string("Refused: \(code.rawValue).")]
        if !data.members.isEmpty { error["data"] = .object(data) }
        var response = HTTPResponse.gateway(status, ["error": .object(error)])
        if let retryAfterSeconds { response.headers.append(.number("Retry-After", retryAfterSeconds)) }
        return response
    }

    var answer: ProviderAnswer {
        ProviderAnswer(code.isRefusedCredential ? .refused : .other, response)
    }
}

extension GatewayRefusal {
    /// The limit on one of the endpoints below `auth`.
    static func rateLimited(_ endpoint: String, limit: Int64, _ usage: FixedWindows.Usage) -> GatewayRefusal {
        let resetAt = CalendarText.rfc3339(unixMilliseconds: usage.resetsAtMilliseconds).dropLast() + ".000Z"
        return GatewayRefusal(
            .rateLimited,
            data: [
                "scope": .string("app_auth_\(endpoint)"),
                "limit": .number(JSONNumber(limit)),
                "windowSeconds": .number(JSONNumber(FixedWindows.seconds)),
                "retryAfterSeconds": .number(JSONNumber(usage.retryAfterSeconds)),
                "resetAt": .string(String(resetAt)),
            ],
            retryAfterSeconds: usage.retryAfterSeconds
        )
    }

    /// The refusal of that code as it would look in the middle of its life: a minute's limit half over.
    static func example(_ code: GatewayErrorCode) -> GatewayRefusal {
        switch code {
        case .rateLimited:
            GatewayRefusal(code, data: ["scope": "app_auth_token", "retryAfterSeconds": 30], retryAfterSeconds: 30)
        case .appRateLimited, .appBudgetExhausted:
            GatewayRefusal(code, data: ["scope": "user"], retryAfterSeconds: 30)
        case .billingRequestQuotaExceeded:
            GatewayRefusal(code, data: ["limit": 1000, "used": 1000], retryAfterSeconds: 30)
        case .billingUnavailable: GatewayRefusal(code, retryAfterSeconds: 5)
        default: GatewayRefusal(code)
        }
    }
}

extension HTTPResponse {
    static func gateway(_ status: Int, _ body: JSONValue) -> HTTPResponse {
        let type = HeaderField(constant: "Content-Type", "application/json; charset=UTF-8")
        return HTTPResponse(status: status, headers: [type], body: body.serialized())
    }
}
