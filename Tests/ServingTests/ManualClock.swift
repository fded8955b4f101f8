import Synchronization
import TokenBroker

/// Both of the host's clocks, which stand still unless a test moves them.
final class ManualClock: HostClock {
    static let start = Moment(
        boot: BootInstant(nanoseconds: 1_000_000_000_000),
        wall: WallInstant(milliseconds: 1_775_000_000_000)
    )

    private let moment = Mutex(ManualClock.start)

    func now() -> Moment {
        moment.withLock { $0 }
    }

    /// Lets time pass.
    func advance(by duration: Duration) {
        moment.withLock { $0 = $0.advanced(by: duration) }
    }

    /// Sets the calendar clock forwards or backwards.
    func setWall(by duration: Duration) {
        moment.withLock { $0 = Moment(boot: $0.boot, wall: $0.wall.advanced(by: duration)) }
    }
}
