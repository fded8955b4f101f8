/// What the gateway can say is wrong. The codes are the contract; the messages that go with them are not.
enum GatewayErrorCode: String {
    case authRequired = "auth_required"
    case assertionRequired = "assertion_required"
    case attestFailed = "attest_failed"
    case issuerTokenRejected = "issuer_token_rejected"
    case issuerClaimsMissing = "issuer_claims_missing"
    case issuerVerificationUnavailable = "issuer_verification_unavailable"
    case authMethodNotSupported = "auth_method_not_supported"
    case invalidRequest = "invalid_request"
    case conflict
    case notFound = "not_found"
    case operationExpired = "operation_expired"
    case rateLimited = "rate_limited"
    case appRateLimited = "app_rate_limited"
    case appBudgetExhausted = "app_budget_exhausted"
    case billingRequestQuotaExceeded = "billing_request_quota_exceeded"
    case billingUnavailable = "billing_unavailable"
    case billingPlanLimitReached = "billing_plan_limit_reached"
    case billingPaymentRequired = "billing_payment_required"
    case unclaimedAccessExpired = "unclaimed_access_expired"
    case accountExpired = "account_expired"
    case appNotFound = "app_not_found"
    case appDisabled = "app_disabled"
    case endpointNotFound = "endpoint_not_found"
    case pathNotAllowed = "path_not_allowed"
    case modelNotAllowed = "model_not_allowed"
    case maxOutputTokensExceeded = "max_output_tokens_exceeded"
    case apiStyleNotSupported = "api_style_not_supported"
    case pricingNotConfigured = "pricing_not_configured"
    case payloadTooLarge = "payload_too_large"
    case providerNotConfigured = "provider_not_configured"
    case providerDisabled = "provider_disabled"
    case providerUnavailable = "provider_unavailable"
    case providerError = "provider_error"
    case internalError = "internal_error"

    /// The status that the code mostly comes with.
    var status: Int {
        switch self {
        case .invalidRequest, .pricingNotConfigured: 400
        case .authRequired, .assertionRequired: 401
        case .billingPaymentRequired: 402
        case .attestFailed, .issuerTokenRejected, .issuerClaimsMissing, .unclaimedAccessExpired, .accountExpired,
            .appDisabled, .pathNotAllowed, .modelNotAllowed, .maxOutputTokensExceeded, .apiStyleNotSupported:
            403
        case .authMethodNotSupported, .appNotFound, .endpointNotFound, .notFound: 404
        case .conflict, .billingPlanLimitReached: 409
        case .operationExpired: 410
        case .payloadTooLarge: 413
        case .rateLimited, .appRateLimited, .appBudgetExhausted, .billingRequestQuotaExceeded: 429
        case .internalError: 500
        case .providerNotConfigured, .providerDisabled, .providerUnavailable, .providerError: 502
        case .issuerVerificationUnavailable, .billingUnavailable: 503
        }
    }

    /// Whether it is the credential that was not accepted.
    var isRefusedCredential: Bool {
        switch self {
        case .authRequired, .assertionRequired, .attestFailed, .issuerTokenRejected, .issuerClaimsMissing: true
        default: false
        }
    }

    /// The code for an answer of which only the status was asked for.
    init(status: Int) {
        switch status {
        case 401: self = .authRequired
        case 402: self = .billingPaymentRequired
        case 403: self = .authRequired
        case 404: self = .appNotFound
        case 413: self = .payloadTooLarge
        case 429: self = .rateLimited
        case 502, 504: self = .providerError
        case 503: self = .issuerVerificationUnavailable
        case 500...: self = .internalError
        default: self = .invalidRequest
        }
    }
}
