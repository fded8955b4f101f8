/// What is known of one token: the one in service, the mint under way, and what is being waited out.
struct TokenEntry {
    var definition: TokenDefinition
    var current: ServedToken?
    var flight: Flight?
    var setback: Setback?
    /// The provider's last answer brought nothing new; no attempt before ``Pause/until``.
    var noProgress: Pause?
    /// A refresh wanted sooner than the policy says, because the clock is in doubt.
    var hurriedAt: BootInstant?
    /// Whether anyone asked since the present token came: an on-demand token that nobody asks for is not refreshed.
    var isAskedFor = false
    /// Facts that are said once and not with every mint.
    var hasWarnedOfLifetime = false
    /// Whether the suspension of the present token has been reported.
    var isSuspended = false
    /// Mints that callers may force by `min_ttl`.
    var forcedMints = TokenBucket(capacity: 5, interval: .seconds(30))
    var mints = 0
    var failures = 0
    var lastFailure: (failure: MintFailure, at: Moment)?

    struct Pause {
        let attempts: Int
        let until: BootInstant
    }

    init(_ definition: TokenDefinition) {
        self.definition = definition
    }

    func servable(at now: Moment) -> ServedToken? {
        guard let current, current.condition(at: now) == .live else { return nil }
        return current
    }

    /// Whether the broker refreshes the token without being asked.
    var isKeptFresh: Bool {
        definition.refresh == .ahead || (isAskedFor && current != nil)
    }

    /// Whether `min_ttl` is met, or cannot be met by a mint either.
    ///
    /// A token that never lived as long as the caller wants is as good as the provider's next one. A token under a second
    /// old is the provider's next one.
    func satisfies(_ minimum: Duration, _ token: ServedToken, at now: Moment) -> Bool {
        token.remaining(at: now) >= minimum
            || token.lifetime < minimum
            || now.boot.since(token.issuedAt.boot) < .seconds(1)
    }

    /// When the entry wants its next attempt, the account's own pause left aside; nil where it wants none.
    func nextAttempt(at now: Moment) -> BootInstant? {
        guard isKeptFresh else { return nil }
        var due = now.boot
        if let current, current.condition(at: now) != .dead { due = current.refreshPoint }
        if let hurriedAt { due = min(due, hurriedAt) }
        if let setback { due = max(due, setback.retryAt) }
        if let noProgress { due = max(due, noProgress.until) }
        return due
    }
}
