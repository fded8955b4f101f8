/// Who may use the admin socket: one entry of `operators:` or `observers:`.
public struct AdminPrincipal: Hashable, Sendable {
    public let user: UInt32?
    public let group: UInt32?

    /// - Precondition: at least one of the two is given.
    public init(user: UInt32? = nil, group: UInt32? = nil) {
        precondition(user != nil || group != nil, "a principal without a condition")
        self.user = user
        self.group = group
    }

    public func matches(_ peer: Peer) -> Bool {
        (user.map { $0 == peer.uid } ?? true) && (group.map(peer.isMember(of:)) ?? true)
    }
}
