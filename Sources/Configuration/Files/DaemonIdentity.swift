internal import Glibc

/// As whom the daemon runs, for the rules on who may own its files and on what it can know of its peers.
public struct DaemonIdentity: Hashable, Sendable {
    public let uid: UInt32
    public let gid: UInt32
    /// Whether it may see which program another user's process runs.
    public let seesExecutables: Bool

    public init(uid: UInt32, gid: UInt32, seesExecutables: Bool = false) {
        self.uid = uid
        self.gid = gid
        self.seesExecutables = seesExecutables
    }

    /// The effective user, group and rights of this process, as they are now.
    public static var current: DaemonIdentity {
        DaemonIdentity(uid: geteuid(), gid: getegid(), seesExecutables: ProcessSight.seesExecutables)
    }
}

/// What this process may see of others (ptrace(2), "Ptrace access mode checking").
private enum ProcessSight {
    /// `CAP_SYS_PTRACE`, by its number in `/proc/thread-self/status`. Root has it unless it was taken away.
    private static let tracing: UInt64 = 1 << 19

    static var seesExecutables: Bool {
        guard let file = try? OpenFile("/proc/thread-self/status"), let bytes = try? file.contents(limit: 16_384) else {
            return false
        }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("CapEff:\t") }
        let rights = line.flatMap { UInt64($0.dropFirst("CapEff:\t".count), radix: 16) }
        return rights.map { $0 & tracing != 0 } ?? false
    }
}
