internal import TokenBroker

/// How many callers of each user wait for each provider.
///
/// All of a proxy's users arrive as one user, so one provider that hangs would take all of its connections, and with
/// them the tokens of every other provider. It gets half of them.
struct WaitingCallers {
    struct Line: Hashable {
        let uid: UInt32
        let provider: Name
    }

    private var counts: [Line: Int] = [:]

    /// - Parameter connections: how many its user may have open.
    /// - Returns: whether the caller may wait; ``leave(_:)`` has to follow then.
    mutating func enter(_ line: Line, connections: Int) -> Bool {
        let count = counts[line] ?? 0
        // Whoever may have a single connection may wait on it.
        guard count < max(1, connections / 2) else { return false }
        counts[line] = count + 1
        return true
    }

    mutating func leave(_ line: Line) {
        let rest = (counts[line] ?? 1) - 1
        counts[line] = rest == 0 ? nil : rest
    }
}
