extension Finding {
    /// What was found, in one line.
    var text: String {
        switch self {
        case .daemonServes(let version, let pid): "the daemon serves: version \(version), pid \(pid)"
        case .daemonAbsent(let reason): "the daemon does not answer: \(reason)"
        case .daemonSaysLittle(let reason): "the daemon does not say what it sees: \(reason)"
        case .daemonOfAnotherVersion(let version): "the daemon that runs is version \(version), this tool another"
        case .seenWithoutRoot: "only root sees all there is to see while the daemon cannot be asked"
        case .configurationValid(let path): "\(path): configuration is valid"
        case .configurationInvalid(_, let problem): problem
        case .configurationDoubtful(_, let warning): warning
        case .configurationNotLoaded(let path): "\(path): the last reload failed; it would succeed now"
        case .secretReadable(let name): "secret \(name): can be read"
        case .secretUnusable(let name, let reason, _):
            reason.hasPrefix("secret \(name):") ? reason : "secret \(name): \(reason)"
        case .secretValueRefused(_, let reason): reason
        case .storeServes: "the store is open"
        case .storeAbsent: "no store is configured: a restart mints anew"
        case .storeFails(let state, let reason): "the store fails (\(state)), tokens are kept in memory: \(reason)"
        case .storeSetAside(let path): "a store that was damaged is kept at \(path)"
        case .storeRowsUnreadable(let count): "\(count) rows of the store cannot be decrypted: damaged, or changed"
        case .memoryUnlocked(let bytes): "\(bytes) bytes of keys and tokens may be written to swap: they are not locked"
        case .gatesClosed(let reason, _): reason
        case .tokenWaitsForSomebody(let name, let state, let reason),
            .tokenFailsForNow(let name, let state, let reason):
            "token \(name) is \(state): \(reason)"
        case .providerReached(let name, let origin, let milliseconds):
            "provider \(name): \(origin) answers, in \(milliseconds) ms"
        case .providerUnreachable(let name, _, _, let reason): "provider \(name): \(reason)"
        case .clockAgrees(let provider): "the clock agrees with that of provider \(provider)"
        case .clockOff(let provider, let milliseconds): Self.text(of: milliseconds, from: provider)
        case .confined: "the daemon is held in: no privileges to gain, no system calls that it does not need"
        case .runsAsRoot: "the daemon runs as root"
        case .confinementMissing(let confinement): "the daemon is not held in: \(confinement.rawValue)"
        case .filesScarce(let limit, let connections):
            "the daemon may open \(limit) files, and one user may have \(connections) connections"
        case .callersUnseen(let names):
            "the daemon cannot tell who is \(names.joined(separator: ", ")), whom the configuration names (PrivateUsers=)"
        case .processesUnseen:
            "the daemon cannot see other users' processes: entries with unit or executable let nobody in (ProtectProc=)"
        case .bootUnseen:
            "the daemon cannot see which run of the kernel it is: stored times are taken by the calendar (ProcSubset=)"
        case .socketAsMeant(let path): "\(path): answers, and is open to those it is for"
        case .socketSilent(let path, let reason): "\(path): \(reason)"
        case .socketTooNarrow(let path, _, let reason, _), .socketTooWide(let path, let reason, _):
            "\(path): \(reason)"
        case .userShutOut(let user, nil, _):
            "user \(user), whom the configuration names, cannot reach the admin socket: 'operators' names no group"
        case .userShutOut(let user, let group?, _):
            "user \(user), whom the configuration names, is not in group \(group) and cannot reach the admin socket"
        }
    }

    private static func text(of milliseconds: Int64, from provider: String) -> String {
        let direction = milliseconds > 0 ? "behind" : "ahead of"
        return "this host's clock is \(milliseconds.magnitude / 1000) s \(direction) that of provider \(provider)"
    }
}
