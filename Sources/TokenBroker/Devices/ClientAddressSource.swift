/// Where a proxy says which client a request came from.
public struct ClientAddressSource: Hashable, Sendable {
    /// A header whose right-most address is the proxy's own word; those before it are the client's.
    public let header: String
    /// The peers whose word it is taken from.
    public let trustedProxies: [AdminPrincipal]

    public init(header: String, trustedProxies: [AdminPrincipal]) {
        self.header = header
        self.trustedProxies = trustedProxies
    }

    public func trusts(_ peer: Peer) -> Bool {
        trustedProxies.contains { $0.matches(peer) }
    }
}
