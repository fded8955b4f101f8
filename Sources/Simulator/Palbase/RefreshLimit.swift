/// How often a session may refresh within a minute.
struct RefreshLimit {
    static let windowSeconds: Int64 = 60
    static let defaultCount: Int64 = 30

    /// The instants of the latest refreshes, by session.
    private var instants: [String: [Int64]] = [:]

    /// Counts a refresh; false where the session has had its share, which is then not counted.
    mutating func admits(_ session: String, limit: Int64, nowMilliseconds now: Int64) -> Bool {
        let recent = instants[session, default: []].filter { now - $0 < Self.windowSeconds * 1000 }
        let isAdmitted = recent.count < limit
        instants[session] = isAdmitted ? recent + [now] : recent
        return isAdmitted
    }
}
