/// An instant on both clocks, which is reached when either of them reaches it.
struct Deadline: Sendable {
    private let boot: Duration
    private let wall: Duration

    /// The instant that the host's clock shows at `time`.
    init(_ time: UnixTime, at now: Moment) {
        wall = .milliseconds(time.milliseconds)
        boot = now.boot + (wall - now.wall)
    }

    init(in duration: Duration, at now: Moment) {
        boot = now.boot + duration
        wall = now.wall + duration
    }

    /// How long until it is reached; negative afterwards.
    func remaining(at now: Moment) -> Duration {
        min(boot - now.boot, wall - now.wall)
    }

    func isReached(at now: Moment) -> Bool {
        remaining(at: now) <= .zero
    }
}
