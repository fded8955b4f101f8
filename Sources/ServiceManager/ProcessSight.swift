/// What this process can see of its host, of which a sandbox or a container may hide some.
public struct ProcessSight: Equatable, Sendable {
    public let users: MappedIDs
    public let groups: MappedIDs
    /// Whether other users' processes are there for it.
    public let seesProcesses: Bool
    /// Whether it can tell this run of the kernel from the one before.
    public let seesBoot: Bool

    /// As it is now.
    public static func current() -> ProcessSight {
        ProcessSight(reading: KernelFile.text)
    }

    /// - Parameter text: of the file at a path; nil where it cannot be read.
    init(reading text: (_ path: String) -> String?) {
        users = MappedIDs(text: text("/proc/self/uid_map"))
        groups = MappedIDs(text: text("/proc/self/gid_map"))
        // Of a process that is always there, and mostly another user's, what anybody may read who may see it.
        seesProcesses = text("/proc/1/cgroup") != nil
        seesBoot = text("/proc/sys/kernel/random/boot_id") != nil
    }
}
