import Providers
import Synchronization
import TokenBroker
import Upstream

/// Gives the same answer or failure to every request, and keeps what was asked.
final class FakeSender: HTTPSender {
    private let result: Result<UpstreamResponse, UpstreamFailure>
    private let sent = Mutex<[UpstreamRequest]>([])

    init(_ result: Result<UpstreamResponse, UpstreamFailure>) {
        self.result = result
    }

    convenience init(_ status: Int, _ body: String, headers: UpstreamHeaders = [:]) {
        let response = UpstreamResponse(
            status: status,
            headers: headers,
            body: Array(body.utf8),
            requestedAt: Self.requestedAt,
            receivedAt: Self.requestedAt.wall
        )
        self.init(.success(response))
    }

    static let requestedAt = Moment(
        boot: BootInstant(nanoseconds: 7_000_000_000),
        wall: WallInstant(milliseconds: 1_775_000_000_000)
    )

    var requests: [UpstreamRequest] { sent.withLock { $0 } }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        sent.withLock { $0.append(request) }
        return try result.get()
    }
}

extension ProviderPorts {
    /// A clock that stands still, and no store.
    static func fake(_ sender: any HTTPSender) -> ProviderPorts {
        ProviderPorts(sender: sender, clock: StandingClock(), store: nil)
    }
}

/// Shows the moment at which a ``FakeSender`` sends.
struct StandingClock: HostClock {
    func now() -> Moment { FakeSender.requestedAt }
}
