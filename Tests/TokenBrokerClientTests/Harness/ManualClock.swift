import Synchronization

@testable import TokenBrokerClient

/// Two clocks that a test moves, and that can tell when the code is asleep.
final class ManualClock: ClientClock {
    private struct State {
        var now = Moment(boot: .seconds(1000), wall: ManualClock.start)
        var sleepers: [(until: Duration, length: Duration, wake: Delivery<Void>)] = []
        var watchers: [(length: Duration, notice: Delivery<Void>)] = []
        /// The lengths of all sleeps, in order.
        var slept: [Duration] = []
    }

    /// What the wall clock shows at first, since 1970.
    static let start = Duration.seconds(1_800_000_000)

    private let state = Mutex(State())

    func now() -> Moment {
        state.withLock { $0.now }
    }

    func sleep(for duration: Duration) async throws {
        let wake = Delivery<Void>()
        let seen = state.withLock { state in
            state.sleepers.append((state.now.boot + duration, duration, wake))
            state.slept.append(duration)
            let seen = state.watchers.filter { $0.length == duration }
            state.watchers.removeAll { $0.length == duration }
            return seen
        }
        for watcher in seen { watcher.notice.close(with: .success(())) }
        try await wake.value {
            self.state.withLock { state in state.sleepers.removeAll { $0.wake === wake } }
        }
    }

    /// Waits until the code sleeps for so long; not longer than the test may last.
    func asleep(for length: Duration) async {
        let notice = Delivery<Void>()
        let isAsleep = state.withLock { state in
            if state.sleepers.contains(where: { $0.length == length }) { return true }
            state.watchers.append((length, notice))
            return false
        }
        if !isAsleep { try? await notice.value {} }
    }

    /// Waits until the code sleeps for so long, and then lets so much time pass.
    func pass(_ length: Duration) async {
        await asleep(for: length)
        advance(by: length)
    }

    /// Lets time pass on both clocks, or on one where the other is told otherwise.
    func advance(by duration: Duration, wall: Duration? = nil) {
        let due = state.withLock { state in
            state.now = Moment(boot: state.now.boot + duration, wall: state.now.wall + (wall ?? duration))
            let due = state.sleepers.filter { $0.until <= state.now.boot }
            state.sleepers.removeAll { $0.until <= state.now.boot }
            return due
        }
        for sleeper in due { sleeper.wake.close(with: .success(())) }
    }

    func slept(atMost longest: Duration) -> [Duration] {
        state.withLock { $0.slept }.filter { $0 <= longest }
    }
}
