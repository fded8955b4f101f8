internal import TokenBroker
internal import Upstream

extension MintFailure {
    /// The failure of a request that got no answer.
    init(_ failure: UpstreamFailure) {
        switch failure.code {
        case .tlsUntrusted:
            self.init(
                .untrusted,
                detail: "\(failure.message); if this is the provider's own, put its authority or its pin under tls"
            )
        case .trustFileUnreadable:
            self.init(.untrusted, detail: "\(failure.message); check the path and that it is PEM")
        case .invalidRequest:
            self.init(.requestRejected, detail: "nothing was sent: \(failure.message)")
        case .couldNotResolve, .couldNotConnect, .timedOut, .connectionLost, .tooLarge, .malformedResponse, .cancelled,
            .closed, .other:
            self.init(.transient, detail: failure.message)
        }
    }
}
