/// What kind of failure a mint ended with. The class alone decides about retries, caching and the API's code.
public enum FailureClass: Hashable, Sendable {
    /// The network, a 5xx, a time-out, or an answer that cannot be read: worth trying again soon.
    case transient
    /// The provider asked for a pause of this length, counted from its answer; nil when it named none.
    case rateLimited(retryAfter: Duration?)
    /// The account's or the user's allowance is spent.
    case quotaExhausted
    /// The provider refused the long-lived secret.
    case secretRejected
    /// The provider refused this end user, and nobody else.
    case userRefused
    /// The provider calls our request wrong: product, app or scope. Only a change of the configuration helps.
    case requestRejected
    /// The provider's certificate is not one that is trusted.
    case untrusted
    /// The long-lived secret is not there, or is not usable.
    case secretUnavailable
    /// A single-use refresh token is spent and its successor unknown: a person has to give a new one.
    case sessionLost
}

/// Why a mint gave no token. Everything in it is safe for any reader: no secret, no body of an answer.
public struct MintFailure: Error, Equatable, Sendable {
    public let failureClass: FailureClass
    /// One sentence for people: what happened and what to do.
    public let detail: String
    /// The HTTP status the provider answered, where it answered.
    public let providerStatus: Int?
    /// The provider's own code for the error.
    public let providerCode: String?
    /// What the provider calls this request, for its support.
    public let providerRequestID: String?

    public init(
        _ failureClass: FailureClass,
        detail: String,
        providerStatus: Int? = nil,
        providerCode: String? = nil,
        providerRequestID: String? = nil
    ) {
        self.failureClass = failureClass
        self.detail = detail
        self.providerStatus = providerStatus
        self.providerCode = providerCode
        self.providerRequestID = providerRequestID
    }
}

extension MintFailure {
    /// What a caller is told who reports with the provider's own code that an allowance is spent.
    static func quotaExhausted(code: String) -> MintFailure {
        MintFailure(
            .quotaExhausted,
            detail: "the allowance at the provider is spent; the token reported with it was let go of",
            providerCode: code
        )
    }
}

extension FailureClass {
    /// The stable code by which callers, status and logs know the class (contract of the API).
    public var code: String {
        switch self {
        case .transient: "provider_unavailable"
        case .rateLimited: "provider_rate_limited"
        case .quotaExhausted: "provider_quota_exhausted"
        case .secretRejected: "provider_rejected_secret"
        case .userRefused: "provider_refused_user"
        case .requestRejected: "provider_rejected_request"
        case .untrusted: "provider_untrusted"
        case .secretUnavailable: "secret_unavailable"
        case .sessionLost: "session_lost"
        }
    }
}
