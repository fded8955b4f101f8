public import TokenBroker
public import Upstream

/// What a provider may use of the world.
public struct ProviderPorts: Sendable {
    /// The account's own connections.
    public let sender: any HTTPSender
    public let clock: any HostClock
    /// Where single-use credentials are kept; nil where the configuration names no store.
    public let store: (any Store)?

    public init(sender: any HTTPSender, clock: any HostClock, store: (any Store)?) {
        self.sender = sender
        self.clock = clock
        self.store = store
    }
}
