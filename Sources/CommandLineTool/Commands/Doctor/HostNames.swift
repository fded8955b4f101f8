internal import Glibc

/// The host's users and groups by their numbers. Asked on one thread only: the answers are copied before the next call.
struct HostNames {
    func user(_ uid: UInt32) -> String {
        getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? String(uid)
    }

    func group(_ gid: UInt32) -> String {
        getgrgid(gid).map { String(cString: $0.pointee.gr_name) } ?? String(gid)
    }

    /// The primary and the supplementary groups of a user; nil where the host does not know it.
    func groups(of uid: UInt32) -> Set<UInt32>? {
        guard let record = getpwuid(uid) else { return nil }
        let (name, primary) = (String(cString: record.pointee.pw_name), record.pointee.pw_gid)
        // The kernel's own limit (NGROUPS_MAX).
        var count: Int32 = 65_536
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard getgrouplist(name, primary, &groups, &count) >= 0 else { return nil }
        return Set(groups.prefix(Int(count)))
    }
}
