import HTTPWire
import JSON
import Synchronization
import Testing

@testable import TokenBrokerClient

/// A broker that says what the test has written down, one answer a request.
final class ScriptedTransport: Transport {
    enum Step: Sendable {
        case answer(HTTPClientResponse)
        case failure(TransportFailure)
        /// The test brings the answer when it likes.
        case later(Delivery<HTTPClientResponse>)
        /// Nothing comes.
        case silence
    }

    private struct State {
        var steps: [Step]
        var requests: [HTTPClientRequest] = []
    }

    private let state: Mutex<State>
    private let arrived: AsyncStream<HTTPClientRequest>.Continuation
    /// The requests as they come.
    let arrivals: AsyncStream<HTTPClientRequest>

    init(_ steps: [Step]) {
        state = Mutex(State(steps: steps))
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    var requests: [HTTPClientRequest] { state.withLock { $0.requests } }

    func add(_ steps: Step...) {
        state.withLock { $0.steps += steps }
    }

    /// Waits for one more request.
    @discardableResult
    func arrival() async throws -> HTTPClientRequest {
        var iterator = arrivals.makeAsyncIterator()
        return try #require(await iterator.next())
    }

    func exchange(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let step = state.withLock { state in
            state.requests.append(request)
            return state.steps.isEmpty ? nil : state.steps.removeFirst()
        }
        arrived.yield(request)
        switch step {
        case .answer(let response)?: return response
        case .failure(let failure)?: throw failure
        case .later(let delivery)?: return try await delivery.value {}
        case .silence?: return try await Delivery<HTTPClientResponse>().value {}
        case nil: throw TransportFailure.unreadable("the script has no more answers: \(request.target)")
        }
    }
}

extension HTTPClientRequest {
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }

    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }
}
