internal import TokenBroker

/// For how long the answer for a token comes out the same: one second of `expires_in`, and while nobody sets the calendar
/// clock.
struct AnswerSpan {
    /// From here on a second less is left by this clock. A token with one left is live, so one in its span is.
    private let lastBoot: BootInstant
    private let lastWall: WallInstant
    private let clockOffsets: ClosedRange<Int64>

    /// Milliseconds by which the clocks move apart with nobody setting one: they are read one after the other, each is
    /// rounded, and a slewed clock gains half a millisecond a second.
    private static let toleratedDrift: Int64 = 2

    /// - Precondition: the token is live.
    init(of token: ServedToken, at now: Moment) {
        let expiresIn = token.remaining(at: now).wholeSeconds
        precondition(expiresIn >= 1, "a token that is not live has no answer")
        lastBoot = token.bootDeadline.advanced(by: .seconds(-expiresIn))
        lastWall = token.wallDeadline.advanced(by: .seconds(-expiresIn))
        let offset = now.wallAheadOfBoot
        clockOffsets = offset - Self.toleratedDrift...offset + Self.toleratedDrift
    }

    func contains(_ now: Moment) -> Bool {
        now.boot <= lastBoot && now.wall <= lastWall && clockOffsets.contains(now.wallAheadOfBoot)
    }
}

extension Moment {
    /// In milliseconds; it changes when the calendar clock is set.
    fileprivate var wallAheadOfBoot: Int64 {
        wall.milliseconds - boot.nanoseconds / 1_000_000
    }
}
