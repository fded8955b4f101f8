/// What all tokens of one account at a provider share: the pause it asked for, and the places for mints.
struct ProviderAccount {
    /// Mints under way at once: enough for a start with many tokens, too few to trip a provider's limit.
    static let concurrentMints = 8

    var setback: Setback?
    /// The one flight that finds out whether the account's setback is over.
    var probe: FlightID?
    /// How far the host's clock is behind the provider's, by its last answer that told.
    var clockSkew: Duration?
    private var recentStarts = RecentStarts()
    private var running = 0
    /// Whose mints wait for a place, in the order in which they came. Giving up one of a hundred thousand takes no longer
    /// than giving up one of two.
    private var queue = RecencyList<TokenKey>()

    /// Takes a place, or queues for one.
    ///
    /// - Returns: whether the mint may start now.
    mutating func enter(_ key: TokenKey) -> Bool {
        guard running < Self.concurrentMints else {
            queue.use(key)
            return false
        }
        running += 1
        return true
    }

    /// Gives a place back.
    mutating func leave() {
        running -= 1
    }

    /// The next in the queue, where a place is free for it.
    mutating func next() -> TokenKey? {
        guard running < Self.concurrentMints, let key = queue.oldest else { return nil }
        running += 1
        queue.remove(key)
        return key
    }

    mutating func cancelQueued(_ key: TokenKey) {
        queue.remove(key)
    }

    /// When the pace allows the next mint; nil where that is now.
    func nextStart(_ pace: MintPace?, isKnown: Bool, at now: BootInstant) -> BootInstant? {
        pace.flatMap { recentStarts.nextStart($0, isKnown: isKnown, at: now) }
    }

    /// A mint starts, and counts against the pace.
    mutating func noteStart(_ pace: MintPace?, isKnown: Bool, at now: BootInstant) {
        if let pace { recentStarts.note(pace, isKnown: isKnown, at: now) }
    }

    /// While a setback lasts nobody tries; when it is over, one does, and the others wait for how that ends.
    func allowsStart(at now: Moment) -> Bool {
        guard let setback else { return true }
        return !setback.isActive(at: now) && probe == nil
    }
}
