/// Something that operators may want to read about; the composition root turns it into log lines.
public enum BrokerEvent: Sendable {
    /// `isForced`: in place of a token that an app or an operator did not want any more.
    case minted(TokenKey, generation: Generation, lifetime: Duration, isForced: Bool)
    case mintFailed(TokenKey, MintFailure, attempts: Int, retryAfter: Int64, stillServing: Bool)
    /// The provider answered the token that is already held, or one that ends no later.
    case noProgress(TokenKey)
    /// The provider named no end of its token; the default lifetime was taken.
    case lifetimeUnstated(TokenKey, assumed: Duration)
    /// The provider named an end that cannot be believed; the maximum was taken.
    case lifetimeCapped(TokenKey, maximum: Duration)
    /// The calendar clock jumped past the end of a token that the boot clock calls live.
    case suspended(TokenKey)
    case dropped(Name)
    /// A caller reported the token that is held as refused by the provider.
    case rejected(TokenKey)
    case secretStepped(Name, SecretVersionNumber, SecretStep)
    /// The file or the credential of a secret gives no value; what is in force is not touched.
    case secretUnreadable(Name, SecretProblem)
}

/// The port for events.
public protocol EventObserver: Sendable {
    func observe(_ event: BrokerEvent)
}
