/// What a grant can open.
public enum Surface: String, CaseIterable, Sendable {
    case tokens
    case authorize
    case forwardAuth = "forward-auth"
    case routes
}

/// One entry of an `allow:` list. Its conditions must all hold; several entries are alternatives.
public struct Grant: Hashable, Sendable {
    public let user: UInt32?
    public let group: UInt32?
    /// The surfaces this grant opens; all of them when the configuration names none.
    public let surfaces: Set<Surface>

    /// - Precondition: at least one of `user` and `group` is given: an entry without a condition would let everyone in.
    public init(user: UInt32? = nil, group: UInt32? = nil, surfaces: Set<Surface> = Set(Surface.allCases)) {
        precondition(user != nil || group != nil, "a grant without a condition")
        self.user = user
        self.group = group
        self.surfaces = surfaces
    }

    func admits(_ peer: Peer, to surface: Surface) -> Bool {
        surfaces.contains(surface)
            && (user.map { $0 == peer.uid } ?? true)
            && (group.map(peer.isMember(of:)) ?? true)
    }
}

extension [Grant] {
    /// Whether any of the grants lets `peer` use `surface`. An empty list lets nobody in, root included.
    public func admit(_ peer: Peer, to surface: Surface) -> Bool {
        contains { $0.admits(peer, to: surface) }
    }
}

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
