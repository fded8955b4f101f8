/// One thing that was looked at, and what it was found to be.
enum Finding: Equatable, Sendable {
    // The daemon.
    case daemonServes(version: String, pid: String)
    case daemonAbsent(reason: String)
    /// It answers, and not what it was asked: it is of another version, or its providers take too long.
    case daemonSaysLittle(reason: String)
    case daemonOfAnotherVersion(String)
    /// The tool is not run by root, and the daemon cannot say what it sees.
    case seenWithoutRoot

    // The configuration.
    case configurationValid(path: String)
    case configurationInvalid(path: String, problem: String)
    case configurationDoubtful(path: String, warning: String)
    /// A reload failed, and the file is right by now.
    case configurationNotLoaded(path: String)

    // What the daemon holds.
    case secretReadable(name: String)
    case secretUnusable(name: String, reason: String, remedy: String)
    /// It has a new value that is not taken; the one before goes on.
    case secretValueRefused(name: String, reason: String)
    case storeServes
    case storeAbsent
    case storeFails(state: String, reason: String)
    case storeSetAside(path: String)
    case storeRowsUnreadable(count: Int64)
    /// The limit for locked memory left out so much of that for keys and tokens.
    case memoryUnlocked(bytes: Int64)
    /// Routes are stricter than anybody said, or let nobody in. Where the store cannot be read, the policy comes back with it.
    case gatesClosed(reason: String, storeServes: Bool)
    case tokenWaitsForSomebody(name: String, state: String, reason: String)
    /// The last attempt failed, and the next one may not.
    case tokenFailsForNow(name: String, state: String, reason: String)

    // The providers.
    case providerReached(name: String, origin: String, milliseconds: Int64)
    case providerUnreachable(name: String, origin: String, code: String, reason: String)
    case clockAgrees(provider: String)
    /// - Parameter milliseconds: how far the provider's clock is ahead of the host's.
    case clockOff(provider: String, milliseconds: Int64)

    // The sandbox and the limits.
    case confined
    case runsAsRoot
    case confinementMissing(Confinement)
    case filesScarce(limit: Int64, connectionsPerUser: Int64)
    /// Users and groups that the configuration names read as nobody.
    case callersUnseen([String])
    /// Nor can those grants hold that ask for them.
    case processesUnseen
    case bootUnseen

    // The sockets.
    case socketAsMeant(path: String)
    case socketSilent(path: String, reason: String)
    /// - Parameter isApps: whether it is the one that tokens are fetched over.
    case socketTooNarrow(path: String, isApps: Bool, reason: String, remedy: String)
    case socketTooWide(path: String, reason: String, remedy: String)
    /// A user whom the configuration names cannot pass the admin socket.
    ///
    /// - Parameters:
    ///   - group: whom the socket lets in; nil where that is nobody but its owner.
    ///   - configuration: the file that names them.
    case userShutOut(user: String, group: String?, configuration: String)

    /// What the unit takes from the daemon, and a container may have forgotten.
    enum Confinement: String, Sendable {
        case privileges = "it could gain privileges by a program that it starts (NoNewPrivileges=)"
        case systemCalls = "it may make every system call (SystemCallFilter=)"
        case capabilities = "it has capabilities (CapabilityBoundingSet=)"
        case tracing = "its own user may trace it"
    }
}

extension Finding {
    /// How bad it is.
    enum Level: String, Sendable {
        case ok
        /// It works, and is hardly meant so.
        case warning
        /// Somebody goes without a token, or could have what is not theirs.
        case fault
    }

    /// Further off than this, what a provider says of times is taken on its own clock (`expires_at` and the like).
    private static let noticedSkew: UInt64 = 5000
    /// Further off than this, signatures with a time in them are refused and certificates become invalid.
    private static let harmfulSkew: UInt64 = 60_000

    static func isNoticed(skew milliseconds: Int64) -> Bool { milliseconds.magnitude >= noticedSkew }

    var level: Level {
        switch self {
        case .daemonServes, .configurationValid, .secretReadable, .storeServes, .storeAbsent, .providerReached,
            .clockAgrees, .confined, .socketAsMeant:
            .ok
        case .daemonSaysLittle, .daemonOfAnotherVersion, .seenWithoutRoot, .configurationDoubtful,
            .configurationNotLoaded, .storeSetAside, .storeRowsUnreadable, .runsAsRoot, .confinementMissing,
            .filesScarce, .memoryUnlocked, .bootUnseen, .secretValueRefused, .tokenFailsForNow:
            .warning
        case .socketTooNarrow(_, let isApps, _, _):
            isApps ? .fault : .warning
        case .clockOff(_, let milliseconds):
            milliseconds.magnitude >= Self.harmfulSkew ? .fault : .warning
        case .daemonAbsent, .configurationInvalid, .secretUnusable, .storeFails, .gatesClosed,
            .tokenWaitsForSomebody, .providerUnreachable, .callersUnseen, .processesUnseen, .socketSilent,
            .socketTooWide, .userShutOut:
            .fault
        }
    }

    /// For scripts; never changes its meaning.
    var code: String {
        switch self {
        case .daemonServes: "daemon_serves"
        case .daemonAbsent: "daemon_absent"
        case .daemonSaysLittle: "daemon_says_little"
        case .daemonOfAnotherVersion: "daemon_of_another_version"
        case .seenWithoutRoot: "seen_without_root"
        case .configurationValid: "configuration_valid"
        case .configurationInvalid: "configuration_invalid"
        case .configurationDoubtful: "configuration_doubtful"
        case .configurationNotLoaded: "configuration_not_loaded"
        case .secretReadable: "secret_readable"
        case .secretUnusable: "secret_unusable"
        case .secretValueRefused: "secret_value_refused"
        case .storeServes: "store_serves"
        case .storeAbsent: "store_absent"
        case .storeFails: "store_fails"
        case .storeSetAside: "store_set_aside"
        case .storeRowsUnreadable: "store_rows_unreadable"
        case .memoryUnlocked: "memory_unlocked"
        case .gatesClosed: "gates_closed"
        case .tokenWaitsForSomebody: "token_waits_for_somebody"
        case .tokenFailsForNow: "token_fails_for_now"
        case .providerReached: "provider_reached"
        case .providerUnreachable: "provider_unreachable"
        case .clockAgrees: "clock_agrees"
        case .clockOff: "clock_off"
        case .confined: "confined"
        case .runsAsRoot: "runs_as_root"
        case .confinementMissing: "confinement_missing"
        case .filesScarce: "files_scarce"
        case .callersUnseen: "callers_unseen"
        case .processesUnseen: "processes_unseen"
        case .bootUnseen: "boot_unseen"
        case .socketAsMeant: "socket_as_meant"
        case .socketSilent: "socket_silent"
        case .socketTooNarrow: "socket_too_narrow"
        case .socketTooWide: "socket_too_wide"
        case .userShutOut: "user_shut_out"
        }
    }
}
