/// A budget that refills: `capacity` at once, then one more each `interval`.
struct TokenBucket {
    let capacity: Int
    let interval: Duration

    private var taken = 0
    private var refilledAt: BootInstant?

    init(capacity: Int, interval: Duration) {
        self.capacity = capacity
        self.interval = interval
    }

    /// Takes one, or nothing where the budget is spent.
    mutating func take(at now: BootInstant) -> Bool {
        refill(at: now)
        guard taken < capacity else { return false }
        if taken == 0 { refilledAt = now }
        taken += 1
        return true
    }

    private mutating func refill(at now: BootInstant) {
        while taken > 0, let last = refilledAt, now.since(last) >= interval {
            taken -= 1
            refilledAt = last.advanced(by: interval)
        }
    }
}
