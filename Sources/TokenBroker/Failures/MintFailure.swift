/// What kind of failure a mint ended with. The class alone decides about retries, caching and the API's code.
public enum FailureClass: Hashable, CaseIterable, Sendable {
    /// The network, a 5xx, a time-out, or an answer that cannot be read: worth trying again soon.
    case transient
    /// The provider wants to be asked less often.
    case rateLimited
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
    /// The pause that the provider asked for, counted from its answer and not capped; nil where it named none.
    public let askedPause: Duration?

    public init(
        _ failureClass: FailureClass,
        detail: String,
        providerStatus: Int? = nil,
        providerCode: String? = nil,
        providerRequestID: String? = nil,
        askedPause: Duration? = nil
    ) {
        self.failureClass = failureClass
        self.detail = detail
        self.providerStatus = providerStatus
        self.providerCode = providerCode
        self.providerRequestID = providerRequestID
        self.askedPause = askedPause
    }
}

extension MintFailure {
    /// The pause that the provider asked for, as far as it is believed; nil where it named none.
    ///
    /// - Parameter longest: ``Limits/retryAfterMax``.
    public func askedPause(atMost longest: Duration) -> Duration? {
        // A provider that says "now" while it refuses is not taken at its word.
        askedPause.map { min(max($0, .seconds(1)), longest) }
    }

    /// Whether the failure says something about the whole account at the provider, not only about one token.
    var concernsAccount: Bool {
        switch failureClass {
        case .secretRejected, .untrusted, .secretUnavailable, .sessionLost: true
        case .rateLimited, .transient: holdsAccount
        case .quotaExhausted, .userRefused, .requestRejected: false
        }
    }

    /// Whether it is the provider's wish that the account asks for nothing for a while. What an operator does changes
    /// nothing about that, and a restart neither.
    var holdsAccount: Bool {
        switch failureClass {
        case .rateLimited: true
        // A server in trouble that names a pause means everybody; a refusal that names one can be about one user.
        case .transient: askedPause != nil && (providerStatus ?? 0) >= 500
        default: false
        }
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
    /// - Returns: nil for a code that is not a class's.
    init?(code: String) {
        guard let known = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = known
    }

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
