/// Tokens restored from an earlier boot while the calendar clock is behind the newest write in the store: that clock is
/// wrong, and it is the only one that these tokens have. They wait until a provider's `Date` confirms the time, or the clock
/// is put right.
struct DormantTokens: Sendable {
    private(set) var newestWrite = WallInstant(milliseconds: .min)
    private var tokens: [TokenKey: StoredToken] = [:]

    var isEmpty: Bool { tokens.isEmpty }

    mutating func add(_ token: StoredToken, _ key: TokenKey, newestWrite: WallInstant) {
        tokens[key] = token
        self.newestWrite = newestWrite
    }

    func contains(_ key: TokenKey) -> Bool { tokens[key] != nil }

    mutating func remove(_ key: TokenKey) {
        tokens[key] = nil
    }

    /// All of them, once the true time is known to be plausible.
    mutating func wake(at time: WallInstant) -> [(key: TokenKey, token: StoredToken)] {
        guard !tokens.isEmpty, time >= newestWrite else { return [] }
        defer { tokens = [:] }
        return tokens.map { ($0.key, $0.value) }.sorted { $0.key < $1.key }
    }
}
