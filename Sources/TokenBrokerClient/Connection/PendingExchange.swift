internal import HTTPWire

/// A request on its way to the socket thread, and where its answer goes.
struct PendingExchange: Sendable {
    let request: [UInt8]
    let answer: Delivery<HTTPClientResponse>

    func fail(_ failure: TransportFailure) {
        answer.close(with: .failure(failure))
    }
}
