/// What operators see of one token; never its text.
public struct TokenStatus: Sendable {
    public enum State: String, Sendable {
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
        /// On demand, and nobody asked.
        case idle
    }

    public let definition: TokenDefinition
    public let state: State
    public let isServable: Bool
    public let current: ServedToken?
    /// When the next attempt is due; nil while one is under way or none is wanted.
    public let nextAttempt: BootInstant?
    public let lastFailure: (failure: MintFailure, at: Moment)?
    public let failuresInARow: Int
    public let mints: Int
    public let failures: Int
    public let waiters: Int

    init(_ entry: TokenEntry, account: ProviderAccount?, at now: Moment) {
        definition = entry.definition
        current = entry.current
        let setback = entry.setback ?? account?.setback
        let servable = entry.servable(at: now) != nil
        isServable = servable
        if entry.flight == nil, let attempt = entry.nextAttempt(at: now) {
            nextAttempt = account?.setback.map { max($0.retryAt, attempt) } ?? attempt
        } else {
            nextAttempt = nil
        }
        lastFailure = entry.lastFailure
        failuresInARow = entry.setback?.attempts ?? 0
        mints = entry.mints
        failures = entry.failures
        waiters = entry.flight?.waiters.count ?? 0
        if servable {
            state = entry.setback != nil ? .degraded : .ready
        } else if entry.current?.condition(at: now) == .suspended {
            state = .suspended
        } else if let setback {
            state = setback.failure.failureClass.state
        } else if entry.flight != nil || entry.isKeptFresh {
            state = .minting
        } else {
            state = .idle
        }
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
        }
    }
}
