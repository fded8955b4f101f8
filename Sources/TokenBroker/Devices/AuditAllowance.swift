/// How many refusals are written down one by one: a flood of them would push out everything else.
struct AuditAllowance {
    private static let limit = RateLimit(burst: 100, interval: .milliseconds(200))

    private var usage = RateLimit.Usage()
    private var skipped = 0

    /// - Returns: how many were passed over since the last one that was written down; nil for one to pass over.
    mutating func take(at now: BootInstant) -> Int? {
        guard Self.limit.wait(usage, at: now) == .zero else {
            skipped += 1
            return nil
        }
        Self.limit.use(&usage, at: now)
        defer { skipped = 0 }
        return skipped
    }
}
