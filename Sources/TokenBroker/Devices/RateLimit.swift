/// So many at once, and then one each interval.
public struct RateLimit: Sendable {
    public let burst: Int64
    public let interval: Duration

    public init(burst: Int64, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// What one of those who are limited has used up: the instant from which on all of the burst is there again (the generic
    /// cell rate algorithm, ITU-T I.371).
    public struct Usage: Sendable {
        fileprivate(set) var restedAt = BootInstant(nanoseconds: .min)

        public init() {}
    }

    /// How long until one more is allowed; zero where it is now.
    public func wait(_ usage: Usage, at now: BootInstant) -> Duration {
        max(.zero, after(usage, at: now).since(now) - interval * Int(burst))
    }

    /// Counts one more, which is allowed.
    public func use(_ usage: inout Usage, at now: BootInstant) {
        usage.restedAt = after(usage, at: now)
    }

    private func after(_ usage: Usage, at now: BootInstant) -> BootInstant {
        max(usage.restedAt, now).advanced(by: interval)
    }
}
