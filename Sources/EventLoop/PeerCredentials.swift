internal import CLinux
internal import Glibc

/// Who is on the other end of a Unix socket, in the kernel's words: the peer as it was when it called `connect`.
///
/// Read it right after accepting, before a byte is read. Whoever holds the descriptor later, after a change of user or
/// having been passed it, is not seen here.
public struct PeerCredentials: Equatable, Sendable {
    /// The process; 0 when it is in a PID namespace that cannot be seen from here.
    public let pid: Int32
    public let uid: UInt32
    /// The primary group.
    public let gid: UInt32
    /// The supplementary groups.
    public let groups: [UInt32]

    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32]) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Asks the kernel (`SO_PEERCRED`, `SO_PEERGROUPS`).
    ///
    /// - Throws: When the descriptor is not a connected Unix socket.
    public init(of socket: borrowing Descriptor) throws(SystemError) {
        let number = socket.number
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        _ = try checked("getsockopt") { linux_peer_credentials(number, &pid, &uid, &gid) }
        self.init(pid: pid, uid: uid, gid: gid, groups: try Self.groups(of: number))
    }

    /// Room for the groups of nearly every process, so that the kernel is asked once; it says when there are more.
    private static let usualGroups = 32

    private static func groups(of socket: Int32) throws(SystemError) -> [UInt32] {
        var count = usualGroups
        while true {
            var groups = [UInt32](repeating: 0, count: count)
            let result = linux_peer_groups(socket, &groups, &count)
            let number = errno
            if result == 0 { return Array(groups.prefix(count)) }
            guard number == ERANGE, count > groups.count else { throw SystemError(call: "getsockopt", number: number) }
        }
    }
}
