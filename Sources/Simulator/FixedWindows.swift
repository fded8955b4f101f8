/// How many requests of each kind there were in this minute: windows that begin with the minutes of the epoch, so that
/// twice the limit can pass around the turn of one. What is refused is not counted.
struct FixedWindows {
    /// What became of a request, and what is left for others.
    struct Usage {
        let isAdmitted: Bool
        let remaining: Int64
        let resetsAtMilliseconds: Int64
        /// Whole seconds to the window's end, rounded up: 1 to 60.
        let retryAfterSeconds: Int64
    }

    static let seconds: Int64 = 60

    private var window: Int64 = 0
    private var counts: [String: Int64] = [:]

    mutating func admit(_ kind: String, limit: Int64, nowMilliseconds: Int64) -> Usage {
        let length = Self.seconds * 1000
        if window != nowMilliseconds / length {
            window = nowMilliseconds / length
            counts = [:]
        }
        let isAdmitted = counts[kind, default: 0] < limit
        if isAdmitted { counts[kind, default: 0] += 1 }
        let end = (window + 1) * length
        return Usage(
            isAdmitted: isAdmitted,
            remaining: max(limit - counts[kind, default: 0], 0),
            resetsAtMilliseconds: end,
            retryAfterSeconds: (end - nowMilliseconds + 999) / 1000
        )
    }
}
