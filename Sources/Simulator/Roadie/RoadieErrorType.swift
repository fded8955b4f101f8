/// The kinds of error that Roadie knows; a client decides by them, and by the status where it does not know the kind.
enum RoadieErrorType: String, CaseIterable {
    case invalidRequest = "invalid_request_error"
    case authentication = "authentication_error"
    case budget = "budget_error"
    case permission = "permission_error"
    case notFound = "not_found_error"
    case idempotency = "idempotency_error"
    case rateLimit = "rate_limit_error"
    case quota = "quota_error"
    case provider = "provider_error"
    case internalError = "internal_error"

    /// The status it comes with. What the service sends with the quota and provider kinds is not published; 429 was
    /// chosen for the quota because there a client that looks at the status alone goes wrong.
    var status: Int {
        switch self {
        case .invalidRequest: 400
        case .authentication: 401
        case .budget: 402
        case .permission: 403
        case .notFound: 404
        case .idempotency: 409
        case .rateLimit, .quota: 429
        case .internalError: 500
        case .provider: 502
        }
    }

    /// The code within the kind, where nothing more is to be said. Three of them are published: `invalid_api_key`,
    /// `rate_limited` and `insufficient_quota`.
    var code: String {
        switch self {
        case .invalidRequest: "invalid_request"
        case .authentication: "invalid_api_key"
        case .budget: "budget_exceeded"
        case .permission: "forbidden"
        case .notFound: "not_found"
        case .idempotency: "idempotency_key_reused"
        case .rateLimit: "rate_limited"
        case .quota: "insufficient_quota"
        case .provider: "provider_unavailable"
        case .internalError: "internal"
        }
    }

    /// The kind for an answer of which only the status was asked for.
    init(status: Int) {
        switch status {
        case 401: self = .authentication
        case 402: self = .budget
        case 403: self = .permission
        case 404: self = .notFound
        case 409: self = .idempotency
        case 429: self = .rateLimit
        case 400...499: self = .invalidRequest
        default: self = .internalError
        }
    }
}
