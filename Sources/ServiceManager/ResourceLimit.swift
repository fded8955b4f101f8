internal import Glibc

/// A limit of the process (setrlimit(2)).
enum ResourceLimit {
    case coreSize
    case openFiles

    /// A limit that is as it should be is left alone: the unit's system call filter may forbid the call.
    func set(soft: UInt64, hard: UInt64) throws(SystemCallError) {
        guard try get() != (soft, hard) else { return }
        var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
        guard setrlimit(resource, &limit) == 0 else { throw SystemCallError("setrlimit") }
    }

    func get() throws(SystemCallError) -> (soft: UInt64, hard: UInt64) {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { throw SystemCallError("getrlimit") }
        return (UInt64(limit.rlim_cur), UInt64(limit.rlim_max))
    }

    func raiseToHardLimit() throws(SystemCallError) {
        let hard = try get().hard
        try set(soft: hard, hard: hard)
    }

    private var resource: __rlimit_resource_t {
        switch self {
        case .coreSize: __rlimit_resource_t(RLIMIT_CORE.rawValue)
        case .openFiles: __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        }
    }
}
