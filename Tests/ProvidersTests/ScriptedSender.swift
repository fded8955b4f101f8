import Synchronization
import TokenBroker
import Upstream

/// Answers each request as a script says, and keeps what was asked.
final class ScriptedSender: HTTPSender {
    private let script: @Sendable (UpstreamRequest) async -> (status: Int, body: String)?
    private let sent = Mutex<[UpstreamRequest]>([])

    /// - Parameter script: the answer; nil where there is none because the connection was lost.
    init(_ script: @escaping @Sendable (UpstreamRequest) async -> (status: Int, body: String)?) {
        self.script = script
    }

    var requests: [UpstreamRequest] { sent.withLock { $0 } }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        sent.withLock { $0.append(request) }
        guard let (status, body) = await script(request) else { throw UpstreamFailure(.connectionLost, "host: lost") }
        return UpstreamResponse(
            status: status,
            body: Array(body.utf8),
            requestedAt: FakeSender.requestedAt,
            receivedAt: FakeSender.requestedAt.wall
        )
    }
}

/// Shows the time that a test sets.
final class ManualClock: HostClock {
    private let moment = Mutex(FakeSender.requestedAt)

    func now() -> Moment { moment.withLock { $0 } }

    func advance(by duration: Duration) {
        moment.withLock { $0 = $0.advanced(by: duration) }
    }

    /// The host starts again: the boot clock begins anew.
    func reboot() {
        moment.withLock { $0 = Moment(boot: BootInstant(nanoseconds: 1_000_000_000), wall: $0.wall) }
    }
}
