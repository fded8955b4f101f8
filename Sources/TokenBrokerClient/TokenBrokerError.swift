/// Why there is no token.
///
/// Its description is safe to log: no token, key or body is in it.
public struct TokenBrokerError: Error, Sendable {
    /// A stable name for the kind of failure: the broker's own, or one of those that the client adds.
    ///
    /// A later broker may send codes that have no constant here.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    public let code: Code
    /// What to do about it.
    public let detail: String
    /// The HTTP status of the broker's answer; nil where there was none.
    public let status: Int?
    /// After how long it is worth another try, where waiting helps.
    public let retryAfter: Duration?
    /// The HTTP status of the provider's answer, where one answered.
    public let providerStatus: Int?
    /// The provider's own code.
    public let providerCode: String?
    /// What the provider calls the request that failed.
    public let providerRequestID: String?

    init(
        _ code: Code,
        _ detail: String,
        status: Int? = nil,
        retryAfter: Duration? = nil,
        providerStatus: Int? = nil,
        providerCode: String? = nil,
        providerRequestID: String? = nil
    ) {
        self.code = code
        self.detail = detail
        self.status = status
        self.retryAfter = retryAfter
        self.providerStatus = providerStatus
        self.providerCode = providerCode
        self.providerRequestID = providerRequestID
    }
}

/// Equal errors have the same code.
extension TokenBrokerError: Equatable {
    public static func == (left: TokenBrokerError, right: TokenBrokerError) -> Bool {
        left.code == right.code
    }
}

extension TokenBrokerError: CustomStringConvertible {
    public var description: String {
        var text = "\(code.rawValue): \(detail)"
        let provider = [providerStatus.map { "status \($0)" }, providerCode.map { "code \($0)" }].compactMap(\.self)
        if !provider.isEmpty { text += " (the provider answered: \(provider.joined(separator: ", ")))" }
        return text
    }
}

extension TokenBrokerError.Code {
    // The client's own.

    /// No broker answers on the socket, or it may not be used.
    public static let unreachable = Self(rawValue: "broker_unreachable")
    /// The broker took the request and said nothing in time.
    public static let timedOut = Self(rawValue: "broker_timed_out")
    /// What answered does not speak as a broker does.
    public static let unreadable = Self(rawValue: "broker_unreadable")

    // The broker's.

    public static let unknownToken = Self(rawValue: "unknown_token")
    public static let notFound = Self(rawValue: "not_found")
    public static let invalidRequest = Self(rawValue: "invalid_request")
    public static let providerRejectedSecret = Self(rawValue: "provider_rejected_secret")
    public static let providerRejectedRequest = Self(rawValue: "provider_rejected_request")
    public static let providerUntrusted = Self(rawValue: "provider_untrusted")
    public static let providerUnavailable = Self(rawValue: "provider_unavailable")
    public static let providerRateLimited = Self(rawValue: "provider_rate_limited")
    public static let providerQuotaExhausted = Self(rawValue: "provider_quota_exhausted")
    public static let providerRefusedUser = Self(rawValue: "provider_refused_user")
    public static let deadlineExceeded = Self(rawValue: "deadline_exceeded")
    public static let secretUnavailable = Self(rawValue: "secret_unavailable")
    public static let sessionLost = Self(rawValue: "session_lost")
    public static let secretNotForPeers = Self(rawValue: "secret_not_for_peers")
    public static let bodyRequired = Self(rawValue: "body_required")
    public static let tokenNotStale = Self(rawValue: "token_not_stale")
    public static let tooManyRejections = Self(rawValue: "too_many_rejections")
    public static let tooManyConnections = Self(rawValue: "too_many_connections")
    public static let shuttingDown = Self(rawValue: "shutting_down")
    public static let `internal` = Self(rawValue: "internal")
}
