/// Something that operators may want to read about; the composition root turns it into log lines.
public enum BrokerEvent: Sendable {
    case minted(token: Name, generation: Generation, lifetime: Duration)
    case mintFailed(token: Name, MintFailure, attempts: Int, retryAfter: Int64, stillServing: Bool)
    /// The provider answered the token that is already held, or one that ends no later.
    case noProgress(token: Name)
    /// The provider named no end of its token; the default lifetime was taken.
    case lifetimeUnstated(token: Name, assumed: Duration)
    /// The provider named an end that cannot be believed; the maximum was taken.
    case lifetimeCapped(token: Name, maximum: Duration)
    /// The calendar clock jumped past the end of a token that the boot clock calls live.
    case suspended(token: Name)
    case dropped(token: Name)
}

/// The port for events.
public protocol EventObserver: Sendable {
    func observe(_ event: BrokerEvent)
}
