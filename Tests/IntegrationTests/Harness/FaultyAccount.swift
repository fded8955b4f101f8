import JSON

/// An account at a provider that answers in one way.
struct FaultyAccount: CustomStringConvertible {
    enum Kind: String, CaseIterable {
        case aiAutocomplete = "AI Autocomplete"
        case gatewayUsers = "App AI Gateway, users"
        case gatewayKey = "App AI Gateway, key"
        case roadie = "Roadie"
        case newAPI = "new-api"
        case oauth2 = "OAuth 2.0"
        case palbase = "Palbase, session"

        var isKey: Bool { self == .gatewayKey || self == .newAPI }
    }

    enum Fault: String, CaseIterable {
        case wrongSecret = "a wrong secret"
        case revokedSecret = "a revoked secret"
        case paymentRequired = "402, the provider's own"
        case forbidden = "403, the provider's own"
        case notFound = "404, the provider's own"
        case conflict = "409, the provider's own"
        case forbiddenPage = "403, a page"
        case notFoundPage = "404, a page"
        case tooMany = "429"
        case pause = "429, `Retry-After: 30`"
        case serverError = "500"
        case serverPause = "503, `Retry-After: 30`"
        case hang = "none within `timeout`"
        case page = "200, a page"
        case truncated = "200, cut off"
        case wrongType = "200, a number as the token"
        case milliseconds = "200, the end in milliseconds"
        case date = "200, the end as a date"
        case redirect = "301 elsewhere"
        case certificate = "an unknown certificate"
        case ended = "`session_revoked`"
    }

    let kind: Kind
    let fault: Fault

    var description: String { "\(kind.rawValue): \(fault.rawValue)" }

    /// A key has no end that could be told wrongly, and one kind alone has sessions.
    var isPossible: Bool {
        switch fault {
        case .milliseconds, .date: !kind.isKey
        case .ended: kind == .palbase
        default: true
        }
    }

    // MARK: In the configuration

    /// Of its blocks there.
    var name: String {
        let numbers = (Kind.allCases.firstIndex(of: kind) ?? 0, Fault.allCases.firstIndex(of: fault) ?? 0)
        return "p\(numbers.0)-\(numbers.1)"
    }

    /// What the simulator calls the provider.
    var provider: String {
        switch kind {
        case .aiAutocomplete: "ai-autocomplete"
        case .gatewayUsers, .gatewayKey: "app-ai-gateway"
        case .roadie: "roadie"
        case .newAPI: "new-api"
        case .oauth2: "oauth2"
        case .palbase: "palbase"
        }
    }

    var secret: String {
        let good =
            switch kind {
            case .aiAutocomplete: SimulatorProcess.secretKey
            case .gatewayUsers: Demo.gatewayIssuerKey
            case .gatewayKey: Demo.gatewayHeaderKey
            case .roadie: Demo.roadieKey
            case .newAPI: Demo.relayKey
            case .oauth2: Demo.clientSecret
            case .palbase: Demo.publishableKey
            }
        // Of the same form, so that it is the provider who refuses it.
        switch fault {
        case .wrongSecret: return good.dropLast() + "X"
        case .revokedSecret: return good.dropLast() + "Y"
        default: return good
        }
    }

    /// The provider's block.
    ///
    /// - Parameter origin: of the simulator.
    func providerBlock(origin: String) -> String {
        let address = "\(origin)/\(provider)"
        let options =
            switch kind {
            case .aiAutocomplete: "base_url: \(address)"
            case .gatewayUsers: "base_url: \(address), app_id: example-issuer-a1b2c3, user: issuer-token"
            case .gatewayKey: "base_url: \(address), app_id: example-header-a1b2c3, user: header, verify_as: u-1"
            case .roadie: "base_url: \(address)"
            case .newAPI: "base_url: \(address), bundle_id: com.example.app, device_id: device-1"
            case .oauth2: "token_url: \(address)/token, client_id: \(client)"
            case .palbase: "base_url: \(address), project: demo, session: \(name)-seed"
            }
        let timeout = fault == .hang ? ", timeout: 1s" : ""
        return "\(name): { kind: \(provider), secret: \(name), \(options)\(timeout) }"
    }

    private var client: String { fault == .revokedSecret ? "leaver" : "broker" }

    var tokenOptions: String {
        switch kind {
        case .aiAutocomplete: "product_id: \(SimulatorProcess.product)"
        case .gatewayUsers, .oauth2, .palbase: "default_lifetime: 5m"
        case .gatewayKey, .newAPI: "reveal_secret: true"
        case .roadie: "end_user: per-request, end_user_header: X-User"
        }
    }

    /// The route's block; nil where there is none.
    var routeBlock: String? {
        switch kind {
        case .aiAutocomplete: "\(name): { token: \(name), shape: ai-autocomplete }"
        case .roadie: "\(name): { token: \(name), shape: roadie, end_user_from: { header: X-User } }"
        default: nil
        }
    }

    // MARK: At the simulator

    /// What makes the secret one that works, and no longer.
    var orders: (action: String, grant: JSONValue, revoke: JSONValue) {
        let key = JSONValue.string(secret)
        return switch kind {
        case .gatewayUsers: ("keys", ["app": "example-issuer-a1b2c3", "add": key], ["revoke": key])
        case .gatewayKey: ("keys", ["app": "example-header-a1b2c3", "add": key], ["revoke": key])
        case .oauth2: ("clients", ["add": .string(client), "secret": key], ["remove": .string(client)])
        case .aiAutocomplete, .roadie, .newAPI, .palbase: ("keys", ["add": key], ["revoke": key])
        }
    }

    var behaviour: JSONValue {
        switch fault {
        case .wrongSecret, .revokedSecret, .certificate: [:]
        case .paymentRequired: refusal(402, "budget_error")
        case .forbidden: refusal(403, "permission_error")
        case .notFound: refusal(404, "not_found_error")
        case .conflict: refusal(409, "idempotency_error")
        case .forbiddenPage: ["status": 403, "body_form": "html"]
        case .notFoundPage: ["status": 404, "body_form": "html"]
        case .tooMany: ["status": 429]
        case .pause: ["status": 429, "retry_after": "30"]
        case .serverError: ["status": 500]
        case .serverPause: ["status": 503, "retry_after": "30"]
        case .hang: ["hang": true]
        case .page: ["body_form": "html"]
        case .truncated: ["body_form": "truncated"]
        case .wrongType: ["body": #"{"access_token":7,"token":7,"user_id":7,"data":7,"expires_in":60}"#]
        case .milliseconds: ["expires_at": "milliseconds", "lifetime_seconds": 3600]
        case .date: ["expires_at": "rfc3339"]
        case .redirect: ["status": 301, "body_form": "empty", "location": "https://elsewhere.example/"]
        case .ended: ["error": "session_revoked"]
        }
    }

    /// In the envelope that the kind has, with a code that no document names.
    private func refusal(_ status: Int64, _ type: String) -> JSONValue {
        let error: JSONValue =
            switch kind {
            case .aiAutocomplete, .gatewayUsers, .gatewayKey, .newAPI: ["code": "news", "message": "no"]
            case .roadie: ["type": .string(type), "message": "no"]
            case .oauth2, .palbase: "news"
            }
        let body: JSONValue = ["error": error]
        let text = String(decoding: body.serialized(), as: UTF8.self)
        return ["status": .number(JSONNumber(status)), "body": .string(text)]
    }
}
