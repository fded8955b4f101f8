/// What operators see of one token; never its text.
public struct TokenStatus: Sendable {
    public enum State: String, CaseIterable, Sendable {
        case ready
        /// The last refresh failed, and the token that is still valid is served on.
        case degraded
        case minting
        case backingOff = "backing_off"
        case rateLimited = "rate_limited"
        case secretRejected = "secret_rejected"
        case waitingForSecret = "waiting_for_secret"
        case misconfigured
        /// The clock is in doubt.
        case suspended
        case sessionLost = "session_lost"
        /// On demand, and nobody asked.
        case idle
    }

    /// The newest failure; kept after a success too.
    public struct Failure: Sendable {
        public let failure: MintFailure
        public let at: Moment
    }

    public let definition: TokenDefinition
    public let state: State
    public let isServable: Bool
    public let current: ServedToken?
    /// When the next attempt is due; nil while one is under way or none is wanted.
    public let nextAttempt: BootInstant?
    public let lastFailure: Failure?
    public let failuresInARow: Int
    public let mints: Int
    public let failures: Int
    public let waiters: Int
    /// How many users have a token; nil for a token that all callers share.
    public let users: Int?
    /// How far the host's clock is behind the provider's, where the provider told.
    public let clockSkew: Duration?

    init(_ definition: TokenDefinition, _ entry: TokenEntry, _ account: ProviderAccount?, at now: Moment) {
        self.definition = definition
        current = entry.current
        isServable = entry.servable(at: now) != nil
        if entry.flight == nil, let attempt = entry.nextAttempt(definition.refresh, at: now) {
            nextAttempt = account?.setback.map { max($0.retryAt, attempt) } ?? attempt
        } else {
            nextAttempt = nil
        }
        lastFailure = entry.lastSetback.map { Failure(failure: $0.failure, at: $0.failedAt) }
        failuresInARow = entry.setback?.attempts ?? 0
        mints = entry.mints
        failures = entry.failures
        waiters = (entry.flight.map { $0.waiters.count + $0.insisters.count } ?? 0) + entry.watchers.count
        users = nil
        clockSkew = account?.clockSkew
        state = Self.state(of: entry, account, definition.refresh, at: now)
    }

    /// Of all users of one name together.
    init(_ definition: TokenDefinition, _ totals: UserTotals, _ account: ProviderAccount?) {
        self.definition = definition
        current = nil
        isServable = totals.users > 0
        nextAttempt = nil
        lastFailure = totals.lastSetback.map { Failure(failure: $0.failure, at: $0.failedAt) }
        failuresInARow = account?.setback?.attempts ?? 0
        mints = totals.mints
        failures = totals.failures
        waiters = 0
        users = totals.users
        clockSkew = account?.clockSkew
        state = account?.setback?.failure.failureClass.state ?? (totals.users > 0 ? .ready : .idle)
    }

    private static func state(
        of entry: TokenEntry,
        _ account: ProviderAccount?,
        _ mode: RefreshMode,
        at now: Moment
    ) -> State {
        if entry.servable(at: now) != nil { return entry.isDegraded ? .degraded : .ready }
        if entry.current?.condition(at: now) == .suspended { return .suspended }
        if let setback = entry.setback ?? account?.setback { return setback.failure.failureClass.state }
        return entry.flight != nil || entry.isKeptFresh(mode) ? .minting : .idle
    }
}

extension TokenTable {
    /// - Returns: nil where there is no token of that name.
    func status(of name: Name, at now: Moment) -> TokenStatus? {
        guard let token = definition.tokens[name] else { return nil }
        if token.isPerUser {
            return TokenStatus(token, userTotals[name] ?? UserTotals(), accounts[token.provider])
        }
        let entry = entries[TokenKey(name)] ?? TokenEntry()
        return TokenStatus(token, entry, accounts[token.provider], at: now)
    }
}

extension FailureClass {
    fileprivate var state: TokenStatus.State {
        switch self {
        case .transient, .userRefused: .backingOff
        case .rateLimited, .quotaExhausted: .rateLimited
        case .secretRejected: .secretRejected
        case .secretUnavailable: .waitingForSecret
        case .requestRejected, .untrusted: .misconfigured
        case .sessionLost: .sessionLost
        }
    }
}
