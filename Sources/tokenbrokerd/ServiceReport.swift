internal import EventLoop
internal import Logging
internal import ServiceManager
internal import TokenBroker

/// What the service manager is told; all of it on the control loop's thread.
final class ServiceReport {
    /// How old the status may be that `systemctl status` shows.
    private static let statusPause: Duration = .seconds(2)

    private let notifier: Notifier
    private let control: EventLoop
    private let broker: Broker
    private let keeper: SecretKeeper
    private let logger: Logger
    private var timer: Timer?
    private var sentence = ""

    init(_ notifier: Notifier, control: EventLoop, broker: Broker, keeper: SecretKeeper, logger: Logger) {
        self.notifier = notifier
        self.control = control
        self.broker = broker
        self.keeper = keeper
        self.logger = logger
    }

    /// The daemon serves, for the first time or again after ``reloading()``. The status is kept right from now on.
    func ready() {
        guard notifier.isHeard else { return }
        sentence = newestSentence
        tell { () throws(SystemCallError) in try notifier.ready(status: sentence) }
        if timer == nil { timer = control.timer { [unowned self] in refresh() } }
        timer?.arm(after: Self.statusPause)
    }

    func reloading() {
        tell { () throws(SystemCallError) in try notifier.reloading() }
    }

    /// - Parameter patience: how long it takes at most.
    func draining(for patience: Duration) {
        timer?.cancel()
        tell { () throws(SystemCallError) in
            try notifier.stopping(status: "draining")
            try notifier.extendTimeout(by: patience)
        }
    }

    /// - Parameter patience: as for ``draining(for:)``.
    func saving(for patience: Duration) {
        tell { () throws(SystemCallError) in
            try notifier.status("saving")
            try notifier.extendTimeout(by: patience)
        }
    }

    func pingWatchdog() {
        tell { () throws(SystemCallError) in try notifier.pingWatchdog() }
    }

    private func refresh() {
        let newest = newestSentence
        if newest != sentence {
            sentence = newest
            tell { () throws(SystemCallError) in try notifier.status(newest) }
        }
        timer?.arm(after: Self.statusPause)
    }

    private func tell(_ send: () throws(SystemCallError) -> Void) {
        do throws(SystemCallError) {
            try send()
        } catch {
            logger.debug("Service manager not told", [.errorDetail: .string(error.description)])
        }
    }

    /// How the tokens are, in words, and which secrets have a new value that is not taken.
    private var newestSentence: String {
        let names = Dictionary(grouping: broker.status(), by: \.state).mapValues { $0.map(\.definition.name.text) }
        let others = TokenStatus.State.allCases.filter { $0 != .ready }.map { state in
            StatusSentence.Group(
                state: String(state.rawValue.map { $0 == "_" ? " " : $0 }),
                names: names[state] ?? []
            )
        }
        let refused = keeper.reports.filter { $0.candidate?.refusal != nil }.map(\.definition.name.text)
        let secrets = StatusSentence.Group(
            state: refused.count == 1 ? "new key not taken" : "new keys not taken",
            names: refused
        )
        return StatusSentence(ready: names[.ready]?.count ?? 0, others: others + [secrets]).description
    }
}
