internal import Glibc

/// As whom the daemon runs, for the rules on who may own its files.
public struct DaemonIdentity: Hashable, Sendable {
    public let uid: UInt32
    public let gid: UInt32

    public init(uid: UInt32, gid: UInt32) {
        self.uid = uid
        self.gid = gid
    }

    /// The effective user and group of this process, as they are now.
    public static var current: DaemonIdentity {
        DaemonIdentity(uid: geteuid(), gid: getegid())
    }
}
