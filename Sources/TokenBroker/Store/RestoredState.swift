/// What a start takes from the store.
public struct RestoredState: Equatable, Sendable {
    public let tokens: [Stamped<StoredToken>]
    public let holds: [Stamped<StoredHold>]
    /// The newest write time in the store: a calendar clock behind it is wrong. Nil for an empty store.
    public let newestWrite: WallInstant?

    public init(
        tokens: [Stamped<StoredToken>] = [],
        holds: [Stamped<StoredHold>] = [],
        newestWrite: WallInstant? = nil
    ) {
        self.tokens = tokens
        self.holds = holds
        self.newestWrite = newestWrite
    }
}
