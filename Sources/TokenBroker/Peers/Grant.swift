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
    /// A unit of the system's manager.
    public let unit: String?
    /// The program the peer runs. No boundary against others of the same user, who can make that program do what they
    /// like (with a debugger, its environment, its arguments): it narrows another condition and is none by itself.
    public let executable: ExecutableFile?
    /// The surfaces this grant opens; all of them when the configuration names none.
    public let surfaces: Set<Surface>

    /// - Precondition: at least one of `user`, `group` and `unit` is given: an entry without a condition would let
    ///   everyone in, and one with an executable alone everyone who can start it.
    public init(
        user: UInt32? = nil,
        group: UInt32? = nil,
        unit: String? = nil,
        executable: ExecutableFile? = nil,
        surfaces: Set<Surface> = Set(Surface.allCases)
    ) {
        precondition(user != nil || group != nil || unit != nil, "a grant without a condition")
        self.user = user
        self.group = group
        self.unit = unit
        self.executable = executable
        self.surfaces = surfaces
    }

    /// Whether the peer's credentials do not decide it alone.
    public var looksAtProcess: Bool {
        unit != nil || executable != nil
    }

    /// The first condition on the credentials and the surface that does not hold.
    fileprivate func credentialDenial(of peer: Peer, to surface: Surface) -> Denial? {
        if let user, user != peer.uid { return .user }
        if let group, !peer.isMember(of: group) { return .group }
        return surfaces.contains(surface) ? nil : .surface
    }

    /// The first condition on the process that does not hold.
    fileprivate func processDenial(of process: PeerProcessFacts?) -> Denial? {
        guard let process else { return .process }
        if let unit, unit != process.unit { return .unit }
        if let executable, executable != process.executable { return .executable }
        return nil
    }
}

/// How far a peer came that no grant lets in: what it lacked in the grant that was nearest to fitting.
public enum Denial: Int, Sendable {
    /// No grant at all.
    case grant
    case user
    case group
    case surface
    /// The process was not looked at when it connected, has ended, or is not what it was then.
    case process
    case unit
    case executable
}

extension [Grant] {
    /// Why no grant lets `peer` use `surface`; nil where one does. An empty list lets nobody in, root included.
    ///
    /// The process is looked at only when the credentials alone let nobody in and fit a grant that asks for more; and
    /// then once.
    public func denial(of peer: Peer, to surface: Surface) -> Denial? {
        var nearest = Denial.grant
        var leavesOpen = false
        for grant in self {
            if let denial = grant.credentialDenial(of: peer, to: surface) {
                nearest = nearest.nearer(denial)
            } else if grant.looksAtProcess {
                leavesOpen = true
            } else {
                return nil
            }
        }
        guard leavesOpen else { return nearest }
        let process = peer.process?.look()
        for grant in self where grant.looksAtProcess && grant.credentialDenial(of: peer, to: surface) == nil {
            guard let denial = grant.processDenial(of: process) else { return nil }
            nearest = nearest.nearer(denial)
        }
        return nearest
    }

    /// Whether any of the grants lets `peer` use `surface`.
    public func admit(_ peer: Peer, to surface: Surface) -> Bool {
        denial(of: peer, to: surface) == nil
    }
}

extension Denial {
    fileprivate func nearer(_ other: Denial) -> Denial {
        other.rawValue > rawValue ? other : self
    }
}

extension BrokerDefinition {
    /// Whether any grant needs to know more of a peer than its credentials.
    public var looksAtProcesses: Bool {
        tokens.values.contains { $0.grants.contains(where: \.looksAtProcess) }
            || routes.values.contains { $0.grants?.contains(where: \.looksAtProcess) == true }
    }
}
