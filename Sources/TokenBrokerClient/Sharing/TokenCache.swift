/// The newest token of each kind that the broker gave.
struct TokenCache: Sendable {
    /// What the broker does not hand out either: a token that would end on its way to the provider.
    private static let leastRemaining = Duration.seconds(1)

    private let capacity: Int
    private var tokens: [TokenKey: FetchedToken] = [:]

    /// - Parameter capacity: how many tokens are kept. A service with more users at once asks the broker for some of them
    ///   again, which is a local call.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// The token that needs no question to the broker, where there is one with so much left to live.
    func fresh(_ key: TokenKey, minimum: Duration, at now: Moment) -> Token? {
        guard let held = tokens[key], !held.freshness.isReached(at: now),
            held.lives(for: max(minimum, Self.leastRemaining), at: now)
        else { return nil }
        return held.token
    }

    /// The token to fall back on when there is no broker to ask: one that is still valid is not thrown away.
    func valid(_ key: TokenKey, at now: Moment) -> Token? {
        guard let held = tokens[key], held.lives(for: Self.leastRemaining, at: now) else { return nil }
        return held.token
    }

    /// Keeps a token, unless a newer one has come already: answers may overtake each other.
    mutating func store(_ fetched: FetchedToken, at now: Moment) {
        if let held = tokens[fetched.key], held.token.generation > fetched.token.generation { return }
        tokens[fetched.key] = fetched
        if tokens.count > capacity { makeRoom(at: now) }
    }

    /// Has the broker asked the next time: somebody doubts this generation.
    mutating func doubt(_ key: TokenKey, _ generation: Int64, at now: Moment) {
        guard let held = tokens[key], held.token.generation <= generation else { return }
        tokens[key]?.freshness = Deadline(in: .zero, at: now)
    }

    /// Drops what has ended and, where that is too little, the quarter that is to be refreshed first: dropping one at a
    /// time would look through all of them for every new one.
    private mutating func makeRoom(at now: Moment) {
        tokens = tokens.filter { $0.value.lives(for: Self.leastRemaining, at: now) }
        let room = capacity / 4
        guard tokens.count > capacity - room else { return }
        let soonest = tokens.sorted { $0.value.freshness.remaining(at: now) < $1.value.freshness.remaining(at: now) }
        for (key, _) in soonest.prefix(room) { tokens[key] = nil }
    }
}

extension FetchedToken {
    fileprivate func lives(for duration: Duration, at now: Moment) -> Bool {
        remaining(at: now).map { $0 >= duration } ?? true
    }
}
