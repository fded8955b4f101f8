internal import Synchronization
public import TokenBroker

/// Counts how mints end, and passes every event on.
///
/// The lock is taken once a mint, and once when somebody reads: no caller that is served from the cache comes near it.
public final class MintCounters: EventObserver {
    private let next: any EventObserver
    private let counts = Mutex<[Name: [String: UInt64]]>([:])

    public init(passingOnTo next: any EventObserver) {
        self.next = next
    }

    public func observe(_ event: BrokerEvent) {
        switch event {
        case .minted(let key, _, _, _): add(key, Self.success)
        case .noProgress(let key): add(key, Self.noProgress)
        case .mintFailed(let key, let failure, _, _, _): add(key, failure.failureClass.code)
        default: break
        }
        next.observe(event)
    }

    private func add(_ key: TokenKey, _ outcome: String) {
        counts.withLock { $0[key.name, default: [:]][outcome, default: 0] &+= 1 }
    }

    /// A new token came.
    static let success = "success"
    /// The provider answered a token that brings nothing over the one held.
    static let noProgress = "no_progress"

    /// What is told from the start, with a zero: a first failure is an increase only over a number that was there.
    static let outcomes =
        [success, noProgress]
        + [
            FailureClass.transient, .rateLimited, .quotaExhausted, .secretRejected, .userRefused,
            .requestRejected, .untrusted, .secretUnavailable,
        ].map(\.code)

    /// How often the token's mints ended in each way, in the order of the outcomes' names.
    func counts(of name: Name) -> [(outcome: String, count: UInt64)] {
        let counted = counts.withLock { $0[name] ?? [:] }
        let all = counted.merging(Self.outcomes.map { ($0, 0) }) { counted, _ in counted }
        return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
