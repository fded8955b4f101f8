/// The challenges that were used, for as long as they would be good otherwise.
///
/// Only genuine ones come here, so that there are never more than were given out in two lifetimes. They are forgotten a
/// whole lifetime's worth at a time, which costs the same however many there are.
struct SpentChallenges {
    private let lifetime: Duration
    private var recent: Set<ChallengeIssuer.Number> = []
    private var older: Set<ChallengeIssuer.Number> = []
    private var turn: BootInstant

    /// - Parameter lifetime: of a challenge.
    init(lifetime: Duration, at now: BootInstant) {
        self.lifetime = lifetime
        turn = now.advanced(by: lifetime)
    }

    var count: Int { recent.count + older.count }

    /// - Returns: whether the challenge, which is still in time, was not used before.
    mutating func spend(_ number: ChallengeIssuer.Number, at now: BootInstant) -> Bool {
        // Whatever was spent before the last turn was given out before it too, and has ended by the next one.
        if now >= turn {
            older = now.since(turn) < lifetime ? recent : []
            recent = []
            turn = now.advanced(by: lifetime)
        }
        return !older.contains(number) && recent.insert(number).inserted
    }
}
