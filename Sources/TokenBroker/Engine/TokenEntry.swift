/// What is known of one token: the one in service, the mint under way, and what is being waited out.
struct TokenEntry {
    var current: ServedToken?
    var flight: Flight?
    var setback: Setback?
    /// The provider's last answer brought nothing new; no attempt before its end.
    var pause: Pause?
    /// A refresh wanted sooner than the policy says: the clock is in doubt, the key is another, or an attempt failed.
    var hurriedAt: BootInstant?
    /// The instant at which the schedule looks at the entry next.
    var scheduledAt: BootInstant?
    /// Callers who hold the present generation and wait for the next.
    var watchers: Set<WaiterID> = []
    /// Whether anyone asked since the present token came: an on-demand token that nobody asks for is not refreshed.
    var isAskedFor = false
    /// Facts that are said once and not with every mint.
    var hasWarnedOfLifetime = false
    /// Whether the suspension of the present token has been reported.
    var isSuspended = false
    /// What a mint needs to know of the user, as the newest caller told it.
    var details: SubjectDetails?
    /// When the user's issuer token ends, which a mint takes; no token minted from it is used longer. Nil where a mint
    /// takes none.
    var sourceEnd: BootInstant?
    /// Whether a caller's `min_ttl` has forced a mint since the present token came: one that brought no other is not
    /// repeated.
    var hasHurried = false
    /// Mints forced by `min_ttl`.
    var hurries = ForcedMintBudget()
    /// Mints forced by reports of a refused token.
    var rejections = ForcedMintBudget()
    var mints = 0
    var failures = 0
    /// The newest failure, kept for status after a success too.
    var lastSetback: Setback?

    struct Pause {
        let attempts: Int
        let until: BootInstant
    }

    /// A caller told more of the user. An issuer token whose end cannot be seen lives no longer for being given again.
    mutating func take(_ details: SubjectDetails, endingAt end: BootInstant?) {
        self.details = details
        sourceEnd = end.map { end in min(end, details.issuerToken?.statedEnd == nil ? sourceEnd ?? end : end) }
    }

    func servable(at now: Moment) -> ServedToken? {
        guard let current, current.condition(at: now) == .live else { return nil }
        return current
    }

    /// Whether the last attempt to refresh the token failed, so that one still valid is served on.
    var isDegraded: Bool { setback.map { !$0.isOfCheck } ?? false }

    /// Whether there is a token, and no attempt to get another one failed since it came.
    var isSound: Bool { current != nil && setback == nil }

    /// The callers who wait for a token.
    var waiters: Int { (flight.map { $0.waiters.count + $0.insisters.count } ?? 0) + watchers.count }

    /// Whether `minimum` is met, or cannot be met by a mint either.
    ///
    /// A token that never lived as long as the caller wants is as good as the provider's next one. A token under a second
    /// old is the provider's next one.
    func satisfies(_ minimum: Duration, _ token: ServedToken, at now: Moment) -> Bool {
        token.remaining(at: now) >= minimum
            || token.lifetime < minimum
            || now.boot.since(token.issuedAt.boot) < .seconds(1)
    }

    /// Whether the entry waits out a failure or an answer that brought nothing.
    func isPausing(at now: Moment) -> Bool {
        setback?.isActive(at: now) == true || pause.map { now.boot < $0.until } == true
    }

    /// Whether the broker refreshes the token without being asked.
    func isKeptFresh(_ mode: RefreshMode) -> Bool {
        mode == .ahead || (isAskedFor && current != nil)
    }

    /// When the entry wants its next attempt, the account's own pause left aside; nil where it wants none.
    func nextAttempt(_ mode: RefreshMode, at now: Moment) -> BootInstant? {
        guard isKeptFresh(mode) else { return nil }
        var due = now.boot
        if let current, current.condition(at: now) != .dead {
            if current.isEndless, hurriedAt == nil { return nil }
            due = current.isEndless ? hurriedAt ?? due : current.refreshPoint
        }
        if let hurriedAt { due = min(due, hurriedAt) }
        if let setback { due = max(due, setback.retryAt) }
        if let pause { due = max(due, pause.until) }
        return brings(more: due) ? due : nil
    }

    /// Whether a mint at `instant` could bring a token that lives longer than the present one.
    ///
    /// Longer by what can be served: where the source ends is told anew by each caller who brings it, and off by
    /// milliseconds, and a token that was cut to it ends a little before.
    private func brings(more instant: BootInstant) -> Bool {
        guard let sourceEnd else { return true }
        guard let current else { return instant < sourceEnd }
        return instant < sourceEnd && sourceEnd.since(current.bootDeadline) >= ServedToken.shortestServed
    }

    /// When callers have no forced mint to their account any more.
    var budgetsFullAgainAt: BootInstant { max(hurries.fullAgainAt, rejections.fullAgainAt) }

    /// What the token and the details take.
    var bytes: Int { (current?.text.count ?? 0) + (details?.bytes ?? 0) }

    /// The account has minted for this entry before.
    var isKnown: Bool { current != nil || mints > 0 }
}
