#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The clocks a client goes by; tests bring their own.
protocol ClientClock: Sendable {
    func now() -> Moment

    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// One instant on both clocks. A token is dead when either says so: the host may have slept, and its wall clock may have
/// been set.
struct Moment: Sendable {
    /// Since some instant of this process, time asleep included; it never steps.
    let boot: Duration
    /// Since 1970, by the host's clock.
    let wall: Duration
}

/// The clocks of the host.
struct HostClock: ClientClock {
    private static let start = ContinuousClock.now

    func now() -> Moment {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Moment(
            boot: Self.start.duration(to: .now),
            wall: .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
        )
    }

    func sleep(for duration: Duration) async throws {
        try await Task.sleep(for: duration, clock: .continuous)
    }
}
