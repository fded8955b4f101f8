/// The budget of mints that callers can force: 5 at once, then one more each 30 seconds.
///
/// An app that reports each token as refused, or asks for more time than a token has, costs the provider no more.
struct ForcedMintBudget: Sendable {
    static let capacity = 5
    static let interval: Duration = .seconds(30)

    private var taken = 0
    private var refilledAt = BootInstant(nanoseconds: 0)

    /// Takes one, or nothing where the budget is spent.
    mutating func take(at now: BootInstant) -> Bool {
        refill(at: now)
        guard taken < Self.capacity else { return false }
        if taken == 0 { refilledAt = now }
        taken += 1
        return true
    }

    /// When nothing of it is taken any more; not after the present where that is so.
    var fullAgainAt: BootInstant { refilledAt.advanced(by: Self.interval * taken) }

    /// Whole seconds until one can be taken again.
    func retryAfter(at now: BootInstant) -> Int64 {
        max(1, (Self.interval - now.since(refilledAt)).wholeSecondsRoundedUp)
    }

    private mutating func refill(at now: BootInstant) {
        while taken > 0, now.since(refilledAt) >= Self.interval {
            taken -= 1
            refilledAt = refilledAt.advanced(by: Self.interval)
        }
    }
}
