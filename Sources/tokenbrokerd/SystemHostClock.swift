internal import EventLoop
internal import TokenBroker

/// The host's two clocks.
struct SystemHostClock: HostClock {
    func now() -> Moment {
        Moment(
            boot: BootInstant(nanoseconds: SystemClock.bootNanoseconds()),
            wall: WallInstant(milliseconds: SystemClock.wallNanoseconds() / 1_000_000)
        )
    }
}
