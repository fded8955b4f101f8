/// The mints that an account's pace counts, in the order in which they started.
struct RecentStarts {
    private struct Start {
        let instant: BootInstant
        let isKnown: Bool
    }

    private var starts: [Start] = []

    /// When a mint may start; nil where that is now.
    func nextStart(_ pace: MintPace, isKnown: Bool, at now: BootInstant) -> BootInstant? {
        let recent = starts.filter { now.since($0.instant) < pace.window }
        if recent.count >= pace.limit { return recent.first?.instant.advanced(by: pace.window) }
        guard !isKnown else { return nil }
        let newcomers = recent.filter { !$0.isKnown }
        guard newcomers.count >= pace.newcomers else { return nil }
        return newcomers.first?.instant.advanced(by: pace.window)
    }

    /// - Parameter instant: for a start of an earlier run, one that can be before those noted already.
    mutating func note(_ pace: MintPace, isKnown: Bool, at instant: BootInstant) {
        starts.removeAll { instant.since($0.instant) >= pace.window }
        let place = starts.firstIndex { instant < $0.instant } ?? starts.endIndex
        starts.insert(Start(instant: instant, isKnown: isKnown), at: place)
    }
}
