/// Who is at the other end of a local socket, in the kernel's own words.
public struct Peer: Hashable, Sendable {
    public let pid: Int32
    public let uid: UInt32
    public let gid: UInt32
    /// The supplementary groups the process had when it connected.
    public let supplementaryGroups: [UInt32]

    public init(pid: Int32, uid: UInt32, gid: UInt32, supplementaryGroups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.supplementaryGroups = supplementaryGroups
    }

    /// Whether the peer is in `group`, as its primary or a supplementary group.
    public func isMember(of group: UInt32) -> Bool {
        gid == group || supplementaryGroups.contains(group)
    }
}
