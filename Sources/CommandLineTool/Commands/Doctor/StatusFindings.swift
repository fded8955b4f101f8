internal import JSON
internal import TokenBroker

/// What the daemon's status comes to: the daemon itself, its store, its memory, the device policy and its tokens.
struct StatusFindings {
    private let status: JSONValue

    init(_ status: JSONValue) {
        self.status = status
    }

    var all: [Finding] { daemon + store + memory + devicePolicy + tokens }

    private var daemon: [Finding] {
        let version = status["version"]?.scalarText ?? "-"
        let serves = Finding.daemonServes(version: version, pid: status["pid"]?.scalarText ?? "-")
        return version == Product.version ? [serves] : [serves, .daemonOfAnotherVersion(version)]
    }

    private var store: [Finding] {
        guard let store = status["store"], store.object != nil else { return [.storeAbsent] }
        let state = store["state"]?.scalarText ?? "-"
        var findings: [Finding] =
            state == "serving"
            ? [.storeServes]
            : [.storeFails(state: state, reason: store["detail"]?.scalarText ?? "no reason is known")]
        if let path = store["set_aside"]?.string { findings.append(.storeSetAside(path: path)) }
        if let rows = store["unreadable_rows"]?.number?.int64, rows > 0 {
            findings.append(.storeRowsUnreadable(count: rows))
        }
        return findings
    }

    private var memory: [Finding] {
        guard let bytes = status["secret_memory"]?["unlocked_bytes"]?.number?.int64, bytes > 0 else { return [] }
        return [.memoryUnlocked(bytes: bytes)]
    }

    private var devicePolicy: [Finding] {
        guard let reason = status["device_policy"]?.string else { return [] }
        let storeServes = status["store"]?["state"]?.string == "serving"
        return [.gatesClosed(reason: reason, storeServes: storeServes)]
    }

    /// The tokens that cannot be minted: those for which waiting does not help, and those for which it may.
    private var tokens: [Finding] {
        (status["tokens"]?.array ?? []).compactMap { token in
            let name = token["name"]?.scalarText ?? "-"
            let reason = token["last_error"]?["detail"]?.scalarText ?? "'\(Installation.program) status' says why"
            switch token["state"]?.string {
            case let state? where ["secret_rejected", "misconfigured", "session_lost"].contains(state):
                return .tokenWaitsForSomebody(name: name, state: state, reason: reason)
            case let state? where ["degraded", "backing_off", "rate_limited"].contains(state):
                return .tokenFailsForNow(name: name, state: state, reason: reason)
            default: return nil
            }
        }
    }
}
