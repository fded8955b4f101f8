/// How long to wait after failures in a row: exponential, capped, and with full jitter, so that brokers and tokens which
/// failed together do not try again together.
struct Backoff {
    let base: Duration
    let cap: Duration

    /// The shortest pause: full jitter alone could draw none at all.
    private static let shortest: Duration = .milliseconds(200)

    /// - Parameter attempt: 1 after the first failure.
    func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(attempt - 1, 0), 30)
        let window = min(cap, base * (1 << doublings))
        return Self.shortest + (window - Self.shortest).scaled(by: Double.random(in: 0..<1, using: &random))
    }
}

extension FailureClass {
    /// How often to try again, where the provider does not say.
    var backoff: Backoff {
        switch self {
        case .transient: Backoff(base: .seconds(1), cap: .seconds(60))
        // A look at a local file costs nothing.
        case .secretUnavailable: Backoff(base: .milliseconds(500), cap: .seconds(5))
        case .rateLimited: Backoff(base: .seconds(10), cap: .seconds(300))
        // Nothing but a person changes these: a slow probe finds out that one did. Hammering could lock the account.
        case .quotaExhausted, .secretRejected, .userRefused, .requestRejected, .untrusted, .sessionLost:
            Backoff(base: .seconds(30), cap: .seconds(900))
        }
    }
}

/// What is being waited out before the next attempt, remembered for everyone who asks meanwhile.
///
/// A class, because most entries have none and those of a broken account share one.
final class Setback: Sendable {
    let failure: MintFailure
    /// Failures in a row, this one included.
    let attempts: Int
    let failedAt: Moment
    let retryAt: BootInstant
    /// Whether it is a check of a key that failed, and no mint: it says nothing of the key, which is as good as before.
    let isOfCheck: Bool

    /// - Parameters:
    ///   - previous: the setback that this failure follows without a success between them.
    ///   - isBeside: whether the mint was under way already when that one came, so that it is no further attempt.
    ///   - longestPause: what a provider may ask for at most.
    init(
        _ failure: MintFailure,
        after previous: Setback?,
        isBeside: Bool = false,
        ofCheck isOfCheck: Bool = false,
        at now: Moment,
        longestPause: Duration,
        using random: inout some RandomNumberGenerator
    ) {
        let isOfSameClass = previous?.failure.failureClass == failure.failureClass
        self.failure = failure
        self.isOfCheck = isOfCheck
        attempts = isOfSameClass ? (previous?.attempts ?? 0) + (isBeside ? 0 : 1) : 1
        failedAt = now
        let delay = failure.failureClass.backoff.delay(attempt: attempts, using: &random)
        let asked = failure.askedPause(atMost: longestPause)
        // A limit's pause says when there is room again; beside any other failure a pause is the least to wait.
        let pause = failure.failureClass == .rateLimited ? asked ?? delay : max(asked ?? .zero, delay)
        retryAt = now.boot.advanced(by: pause)
    }

    init(_ failure: MintFailure, attempts: Int, failedAt: Moment, retryAt: BootInstant) {
        self.failure = failure
        self.attempts = attempts
        isOfCheck = false
        self.failedAt = failedAt
        self.retryAt = retryAt
    }

    func isActive(at now: Moment) -> Bool {
        now.boot < retryAt
    }

    /// How long a caller does well to wait, in whole seconds.
    func retryAfter(at now: Moment) -> Int64 {
        max(1, retryAt.since(now.boot).wholeSecondsRoundedUp)
    }
}
