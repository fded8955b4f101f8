import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("Sharing a fetch", .timeLimit(.minutes(1)))
struct SharingTests {
    private func callers(_ count: Int, of world: World) -> [Task<Int64, any Error>] {
        (0..<count).map { _ in Task { try await world.client.token(named: "web").generation } }
    }

    /// Lets all callers come to where they wait.
    private func settled(_ world: World, _ count: Int) async {
        let key = TokenKey(name: "web", endUserID: nil, plan: nil, issuerToken: nil)
        while world.client.flights.callers(for: .fetch(key, minimum: 0)) != count, !Task.isCancelled {
            await Task.yield()
        }
    }

    @Test("a hundred callers ask one question and get its answer")
    func together() async throws {
        let answer = Delivery<HTTPClientResponse>()
        let world = World(.later(answer))
        let callers = callers(100, of: world)
        await settled(world, 100)
        answer.close(with: .success(.token(7)))
        for caller in callers { #expect(try await caller.value == 7) }
        #expect(world.broker.requests.count == 1)
    }

    @Test("a failure is everybody's, and is not remembered")
    func failing() async throws {
        let answer = Delivery<HTTPClientResponse>()
        let world = World(.later(answer), .token(8))
        let callers = callers(3, of: world)
        await settled(world, 3)
        answer.close(with: .success(.problem(503, "provider_unavailable")))
        for caller in callers { #expect(await failure { try await caller.value }?.code == .providerUnavailable) }
        #expect(try await world.client.token(named: "web").generation == 8)
    }

    @Test("a caller that is cancelled stops waiting at once and takes nothing from the others")
    func cancelled() async throws {
        let answer = Delivery<HTTPClientResponse>()
        let world = World(.later(answer))
        let callers = callers(3, of: world)
        await settled(world, 3)
        callers[0].cancel()
        await #expect(throws: CancellationError.self) { try await callers[0].value }
        #expect(!answer.isClosed)
        answer.close(with: .success(.token(7)))
        for caller in callers.dropFirst() { #expect(try await caller.value == 7) }
    }

    @Test("the question is taken back when the last caller has left, and the next one asks anew")
    func abandoned() async throws {
        let answer = Delivery<HTTPClientResponse>()
        let world = World(.later(answer), .token(8))
        let callers = callers(2, of: world)
        await settled(world, 2)
        for caller in callers { caller.cancel() }
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        #expect(try await world.client.token(named: "web").generation == 8)
        while !answer.isClosed { await Task.yield() }
    }

    @Test("a caller that was cancelled before it asked throws, too")
    func cancelledBefore() async throws {
        let world = World(.silence)
        let caller = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await world.client.token(named: "web")
        }
        await #expect(throws: CancellationError.self) { try await caller.value }
    }
}
