/// How often a provider lets one account mint, kept to so that its limit is never met.
public struct MintPace: Hashable, Sendable {
    /// Mints in any ``window``.
    public let limit: Int
    /// How many of them may be for users without a token: what is left over is for those who are known already.
    public let newcomers: Int
    public let window: Duration

    public init(limit: Int, newcomers: Int, window: Duration) {
        self.limit = limit
        self.newcomers = newcomers
        self.window = window
    }
}
