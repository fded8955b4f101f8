internal import EventLoop
internal import Serving
internal import TokenBroker

/// The one timer that wakes a part of the domain, kept on a loop.
///
/// `@unchecked Sendable`: `timer` and `sleeper` are touched on the loop's thread only.
final class Alarm: @unchecked Sendable {
    /// What is woken.
    struct Sleeper: Sendable {
        /// When it wants to be woken next; nil while nothing is due.
        let nextWake: @Sendable () -> BootInstant?
        /// Returns at once.
        let wake: @Sendable () -> Void
    }

    private let loop: EventLoop
    private var timer: Timer?
    private var sleeper: Sleeper?

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// Begins to wake `sleeper`; what changed before is caught up with.
    func start(_ sleeper: Sleeper) {
        loop.post { [self] in
            self.sleeper = sleeper
            timer = loop.timer { [unowned self] in fire() }
            arm()
        }
    }

    /// The next instant is another one.
    func changed() {
        loop.post { [self] in arm() }
    }

    /// Wakes the sleeper once as if its instant had come, by a timer as always; `done` is called on the loop's thread.
    func tick(_ done: @escaping @Sendable () -> Void) {
        loop.post { [self] in
            loop.schedule(after: .zero) { [self] in
                fire()
                done()
            }
        }
    }

    private func fire() {
        sleeper?.wake()
        arm()
    }

    /// Reads the instant anew each time, so that the order in which changes are reported does not matter.
    private func arm() {
        guard let instant = sleeper?.nextWake() else { return timer?.cancel() ?? () }
        timer?.arm(atBootNanoseconds: instant.nanoseconds)
    }
}

extension Alarm.Sleeper {
    init(_ broker: Broker) {
        self.init(nextWake: { broker.nextWake }, wake: { broker.wake() })
    }

    init(_ keeper: SecretKeeper) {
        self.init(nextWake: { keeper.nextWake }, wake: { keeper.wake() })
    }

    init(_ recorder: AuditRecorder) {
        self.init(nextWake: { recorder.nextWake }, wake: { recorder.wake() })
    }
}
