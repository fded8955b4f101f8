/// What a hold is about: an account, and the one of its endpoints that is not to be asked for a while.
public struct HoldKey: Hashable, Sendable {
    public let account: Name
    public let endpoint: String

    public init(account: Name, endpoint: String) {
        self.account = account
        self.endpoint = endpoint
    }
}

/// A pause that was not over when the broker ended: a restart does not make a provider forget that it asked for one.
public struct StoredHold: Equatable, Sendable {
    public let key: HoldKey
    /// ``FailureClass/code`` of the failure that is waited out.
    public let failureCode: String
    /// One sentence for people.
    public let detail: String
    /// What the provider answered, as ``MintFailure`` has it.
    public let providerStatus: Int?
    public let providerCode: String?
    public let providerRequestID: String?
    /// When the next attempt may be made, on both clocks.
    public let until: Moment
    /// Failures in a row.
    public let attempts: Int

    public init(
        key: HoldKey,
        failureCode: String,
        detail: String,
        providerStatus: Int? = nil,
        providerCode: String? = nil,
        providerRequestID: String? = nil,
        until: Moment,
        attempts: Int
    ) {
        self.key = key
        self.failureCode = failureCode
        self.detail = detail
        self.providerStatus = providerStatus
        self.providerCode = providerCode
        self.providerRequestID = providerRequestID
        self.until = until
        self.attempts = attempts
    }
}
