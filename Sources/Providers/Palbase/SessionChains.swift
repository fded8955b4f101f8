/// The sessions that an account was given, each as the chain that its seed began.
///
/// A seed says which of them goes on. So one that is on trial takes nothing from the one that works, whatever becomes of the
/// trial; and an account that goes back to the seed before goes on where that session was left.
struct SessionChains: Equatable {
    /// The present one, the one before it, and one on trial.
    static let limit = 3

    private(set) var all: [SessionChain]

    init(_ all: [SessionChain] = []) {
        self.all = all
    }

    /// The one that goes on where a seed says nothing.
    var present: SessionChain? { all.first }

    subscript(seed: SeedFingerprint) -> SessionChain? { all.first { $0.seed == seed } }

    /// Takes another one in, beside the present one: in place of those that were of no use, or of the oldest.
    mutating func add(_ chain: SessionChain) {
        let others = all.dropFirst().filter { $0.state != .lost }
        all = (all.prefix(1) + others).prefix(Self.limit - 1) + [chain]
    }

    /// One of them has changed.
    mutating func update(_ chain: SessionChain) {
        for index in all.indices where all[index].seed == chain.seed { all[index] = chain }
    }

    /// Its seed is the one in force.
    mutating func makePresent(_ seed: SeedFingerprint) {
        guard let index = all.firstIndex(where: { $0.seed == seed }) else { return }
        all.insert(all.remove(at: index), at: 0)
    }

    /// A session has begun. Those that have ended are let go of, and it is the present one where that has.
    mutating func begun(_ chain: SessionChain) {
        update(chain)
        if present?.state == .lost { makePresent(chain.seed) }
        all.removeAll { $0.state == .lost }
    }
}
