/// What a start takes from the store.
public struct RestoredState: Equatable, Sendable {
    public let tokens: [Stamped<StoredToken>]
    public let holds: [Stamped<StoredHold>]
    /// The newest write time in the store: a calendar clock behind it is wrong. Nil for an empty store.
    public let newestWrite: WallInstant?
    /// Whether an earlier run served what the store could not take in: a token in it may not be the newest that its name
    /// had, and comes back under a new generation.
    public let isBehind: Bool

    public init(
        tokens: [Stamped<StoredToken>] = [],
        holds: [Stamped<StoredHold>] = [],
        newestWrite: WallInstant? = nil,
        isBehind: Bool = false
    ) {
        self.tokens = tokens
        self.holds = holds
        self.newestWrite = newestWrite
        self.isBehind = isBehind
    }

    /// How many generations a run that goes on from here takes at once.
    public var generationsNeeded: Int64 {
        GenerationSource.blockSize + (isBehind ? Int64(tokens.count) : 0)
    }
}
