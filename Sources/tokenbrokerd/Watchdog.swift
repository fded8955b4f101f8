internal import EventLoop
internal import Logging
internal import ServiceManager

/// Pings the service manager's watchdog for as long as the daemon proves, from end to end, that it works.
///
/// A provider that hangs is none of it. A loop or a thread that hangs keeps the ping from being sent.
///
/// `@unchecked Sendable`: all its state is touched on the control loop's thread only.
final class Watchdog: @unchecked Sendable {
    /// What has to answer; the control loop does by asking.
    enum Part: String, CaseIterable, Sendable {
        /// A request over the apps socket is answered.
        case appsSocket = "apps socket"
        /// The broker is woken by its timer.
        case scheduler
        /// The store's thread comes to what it is given.
        case store = "store thread"
    }

    /// Asks a part; the closure it is given is called on any thread once it answered.
    typealias Check = (_ answered: @escaping @Sendable () -> Void) throws(SystemError) -> Void

    /// Rounds in the time that the service manager waits, so that one slow round is no alarm.
    private static let roundsPerInterval = 4

    private let control: EventLoop
    private let pause: Duration
    private let checks: [Part: Check]
    private let logger: Logger
    private let ping: () -> Void
    private var probe: SelfProbe<Part>
    private var timer: Timer?

    init(
        interval: Duration,
        control: EventLoop,
        checks: [Part: Check],
        logger: Logger,
        ping: @escaping () -> Void
    ) {
        self.control = control
        self.checks = checks
        self.logger = logger
        self.ping = ping
        pause = interval / Self.roundsPerInterval
        probe = SelfProbe(Part.allCases.filter { checks[$0] != nil })
    }

    /// Begins the first round; on the control loop's thread.
    func start() {
        timer = control.timer { [unowned self] in tick() }
        tick()
    }

    /// The daemon drains: what is asked from now on may have ended.
    func stop() {
        timer?.cancel()
        timer = nil
    }

    private func tick() {
        for part in probe.missing {
            logger.warning("No sign of life from a part of the daemon", [.step: .string(part.rawValue)])
        }
        for part in probe.ask() { ask(part) }
        timer?.arm(after: pause)
    }

    private func ask(_ part: Part) {
        do throws(SystemError) {
            try checks[part]? { [self] in control.post { [self] in answered(part) } }
        } catch {
            probe.failed(part)
            logger.warning(
                "A part of the daemon cannot be asked for a sign of life",
                [.step: .string(part.rawValue), .errorDetail: .string(error.description)]
            )
        }
    }

    private func answered(_ part: Part) {
        if probe.answered(part), timer != nil { ping() }
    }
}
