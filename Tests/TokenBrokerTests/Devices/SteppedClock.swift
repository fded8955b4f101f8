import Synchronization

@testable import TokenBroker

/// Both of the host's clocks, which stand still unless a test moves them.
final class SteppedClock: HostClock {
    private let moment = Mutex(Harness.start)

    func now() -> Moment {
        moment.withLock { $0 }
    }

    func advance(by duration: Duration) {
        moment.withLock { $0 = $0.advanced(by: duration) }
    }

    /// Sets the calendar clock forwards or backwards.
    func setWall(by duration: Duration) {
        moment.withLock { $0 = Moment(boot: $0.boot, wall: $0.wall.advanced(by: duration)) }
    }
}
