public import TokenBroker
public import Upstream

/// What a provider may use of the world.
public struct ProviderPorts: Sendable {
    /// The account's own connections.
    public let sender: any HTTPSender
    public let clock: any HostClock
    /// Where single-use credentials are kept; nil where the configuration names no store.
    public let store: (any Store)?
    /// Which first refresh tokens were spent; nil where there is no store to keep their successors.
    public let seeds: (any SeedLedger)?
    /// Of the boot whose clock is ``clock``; nil where it is not known, and instants of a boot clock that were kept mean
    /// nothing.
    public let bootID: BootID?

    public init(
        sender: any HTTPSender,
        clock: any HostClock,
        store: (any Store)?,
        seeds: (any SeedLedger)? = nil,
        bootID: BootID? = nil
    ) {
        self.sender = sender
        self.clock = clock
        self.store = store
        self.seeds = seeds
        self.bootID = bootID
    }
}
