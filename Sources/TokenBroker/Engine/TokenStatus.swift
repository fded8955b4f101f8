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
        lastFailure = Self.newest(entry.lastSetback, account?.setback)
        failuresInARow = (entry.setback ?? (isServable ? nil : account?.setback))?.attempts ?? 0
        mints = entry.mints
        failures = entry.failures
        waiters = entry.waiters
        users = nil
        clockSkew = account?.clockSkew
        state = Self.state(of: entry, account, definition.refresh, at: now)
    }

    /// Of all users of one name together.
    init(
        _ definition: TokenDefinition,
        _ totals: UserTotals,
        _ account: ProviderAccount?,
        waiters: Int,
        _ condition: UserCondition
    ) {
        self.definition = definition
        current = nil
        isServable = condition.isServable
        nextAttempt = nil
        lastFailure = Self.newest(totals.lastSetback, account?.setback)
        failuresInARow = (account?.setback ?? condition.setback)?.attempts ?? 0
        mints = totals.mints
        failures = totals.failures
        self.waiters = waiters
        users = totals.users
        clockSkew = account?.clockSkew
        state = account?.setback?.failure.failureClass.state ?? condition.state
    }

    /// What failed for all of the account's tokens failed for this one.
    private static func newest(_ own: Setback?, _ ofAccount: Setback?) -> Failure? {
        let newest = [own, ofAccount].compactMap { $0 }.max { $0.failedAt.boot < $1.failedAt.boot }
        return newest.map { Failure(failure: $0.failure, at: $0.failedAt) }
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
            return TokenStatus(
                token,
                userTotals[name] ?? UserTotals(),
                accounts[token.provider],
                waiters: entries.userCounts[name]?.waiters ?? 0,
                userCondition(of: name, at: now)
            )
        }
        let entry = entries[TokenKey(name)] ?? TokenEntry()
        return TokenStatus(token, entry, accounts[token.provider], at: now)
    }
}

/// How one name's users are together: well as long as one of them is.
struct UserCondition {
    var isServable = false
    var isMinting = false
    /// The newest of those that are waited out, where no user is well.
    var setback: Setback?

    var state: TokenStatus.State {
        if let setback { return isServable ? .degraded : setback.failure.failureClass.state }
        if isServable { return .ready }
        return isMinting ? .minting : .idle
    }
}

extension TokenTable {
    /// The entries are gone through only where no user's is sound, which is soon mended or soon forgotten.
    private func userCondition(of name: Name, at now: Moment) -> UserCondition {
        if entries.userCounts[name]?.sound ?? 0 > 0 { return UserCondition(isServable: true) }
        var condition = UserCondition()
        guard userTotals[name]?.users ?? 0 > 0 else { return condition }
        for key in entries.keys where key.name == name {
            guard let entry = entries[key] else { continue }
            if entry.servable(at: now) != nil { condition.isServable = true }
            if entry.flight != nil { condition.isMinting = true }
            guard let setback = entry.setback else { continue }
            let isNewest = condition.setback.map { $0.failedAt.boot < setback.failedAt.boot } ?? true
            if isNewest { condition.setback = setback }
        }
        return condition
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
