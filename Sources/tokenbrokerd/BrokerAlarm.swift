internal import EventLoop
internal import Synchronization
internal import TokenBroker

/// The one timer that wakes the broker, kept on the serving loop.
///
/// `@unchecked Sendable`: `timer` and `broker` are touched on the loop's thread only.
final class BrokerAlarm: @unchecked Sendable {
    private let loop: EventLoop
    private var timer: Timer?
    private var broker: Broker?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Begins to wake `broker`; what changed before is caught up with.
    func start(_ broker: Broker) {
        loop.post { [self] in
            self.broker = broker
            timer = loop.timer { [unowned self] in fire() }
            arm()
        }
    }

    /// The broker's next instant is another one.
    func changed() {
        loop.post { [self] in arm() }
    }

    /// Wakes the broker once as if its instant had come, by a timer as always; `done` is called on the loop's thread.
    func tick(_ done: @escaping @Sendable () -> Void) {
        loop.post { [self] in
            loop.schedule(after: .zero) { [self] in
                fire()
                done()
            }
        }
    }

    private func fire() {
        broker?.wake()
        arm()
    }

    /// Reads the instant anew each time, so that the order in which changes are reported does not matter.
    private func arm() {
        guard let instant = broker?.nextWake else { return timer?.cancel() ?? () }
        timer?.arm(atBootNanoseconds: instant.nanoseconds)
    }
}
