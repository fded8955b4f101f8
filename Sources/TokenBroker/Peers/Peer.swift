/// Who is at the other end of a local socket, in the kernel's own words.
public struct Peer: Sendable {
    public let pid: Int32
    public let uid: UInt32
    public let gid: UInt32
    /// The supplementary groups the process had when it connected.
    public let supplementaryGroups: [UInt32]
    /// Where grants that look at the process are told about it; nil where nobody looked before the first byte was
    /// read, and then no such grant fits.
    public let process: (any ProcessWitness)?

    public init(
        pid: Int32,
        uid: UInt32,
        gid: UInt32,
        supplementaryGroups: [UInt32] = [],
        process: (any ProcessWitness)? = nil
    ) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.supplementaryGroups = supplementaryGroups
        self.process = process
    }

    /// Whether the peer is in `group`, as its primary or a supplementary group.
    public func isMember(of group: UInt32) -> Bool {
        gid == group || supplementaryGroups.contains(group)
    }

    /// The same peer with its process as it is now: many grants are then decided with one look.
    public func seenOnce() -> Peer {
        guard let process else { return self }
        return Peer(
            pid: pid,
            uid: uid,
            gid: gid,
            supplementaryGroups: supplementaryGroups,
            process: Sighting(facts: process.look())
        )
    }
}

/// What one look brought, for as long as one request takes.
private struct Sighting: ProcessWitness {
    let facts: PeerProcessFacts?

    func look() -> PeerProcessFacts? { facts }
}
