import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("A broker that is not there", .timeLimit(.minutes(1)))
struct AbsenceTests {
    private static let gone = ScriptedTransport.Step.failure(.notThere("No such file or directory"))

    @Test("is waited for as long as a restart takes, more slowly each time")
    func restart() async throws {
        let world = World(Self.gone, .failure(.lost), .problem(503, "shutting_down"), .token(7))
        async let token = world.client.token(named: "web")
        for pause in [50, 100, 200] { await world.clock.pass(.milliseconds(pause)) }
        #expect(try await token.generation == 7)
    }

    @Test("is given up after five seconds, with the reason")
    func givenUp() async throws {
        let world = World()
        for _ in 0..<20 { world.broker.add(Self.gone) }
        async let error = failure { try await world.client.token(named: "web") }
        let pauses: [Int64] = [50, 100, 200, 400, 800, 1000, 1000, 1000]
        for pause in pauses { await world.clock.pass(.milliseconds(pause)) }
        let reported = try #require(await error)
        #expect(reported.code == .unreachable)
        #expect(reported.status == nil)
        #expect(reported.detail.contains("/s (No such file or directory)"))
        #expect(world.broker.requests.count == pauses.count + 1)
    }

    @Test("is waited for by nobody who holds a token that is still valid: that one is handed out")
    func fallBack() async throws {
        let failures: [ScriptedTransport.Step] = [
            Self.gone, .failure(.lost), .failure(.notPermitted), .failure(.unreadable("x")),
            .problem(503, "shutting_down"), .answer(.answer(200, "{}")),
        ]
        for failure in failures {
            let world = World(.token(1), failure, .token(2, lifetime: 200, refresh: 190))
            _ = try await world.client.token(named: "web")
            world.clock.advance(by: .seconds(70))
            #expect(try await world.client.token(named: "web").generation == 1)
            #expect(world.clock.slept(atMost: .seconds(5)).isEmpty)
            #expect(try await world.client.token(named: "web").generation == 2)
        }
    }

    @Test("leaves a token that has ended where it is")
    func ended() async throws {
        let world = World(.token(1), .failure(.notPermitted))
        _ = try await world.client.token(named: "web")
        world.clock.advance(by: .milliseconds(99_001))
        #expect(await failure { try await world.client.token(named: "web") }?.code == .unreachable)
    }

    @Test(
        "is not what a broker is that says no: its word counts, whatever is in memory",
        arguments: [(404, "unknown_token"), (403, "provider_refused_user"), (503, "provider_unavailable")]
    )
    func refusal(_ status: Int, _ code: String) async throws {
        let world = World(.token(1), .problem(status, code))
        _ = try await world.client.token(named: "web")
        world.clock.advance(by: .seconds(70))
        #expect(await failure { try await world.client.token(named: "web") }?.code.rawValue == code)
    }

    @Test("is told from one that does not answer: after what it was asked to wait and five seconds more")
    func silence() async throws {
        let world = World(.silence)
        async let error = failure { try await world.client.token(named: "web") }
        await world.clock.asleep(for: .seconds(15))
        world.clock.advance(by: .milliseconds(14_999))
        world.clock.advance(by: .milliseconds(1))
        #expect(await error?.code == .timedOut)
        #expect(world.broker.requests.count == 1)
    }

    @Test(
        "a faulty socket is not tried again",
        arguments: [TransportFailure.pathTooLong, .notPermitted, .noSocket("x")]
    )
    func faulty(_ fault: TransportFailure) async {
        let world = World(.failure(fault))
        #expect(await failure { try await world.client.token(named: "web") }?.code == .unreachable)
    }

    @Test("pauses are cut to a random part, never to less than half")
    func jitter() {
        var backoff = Backoff(from: .milliseconds(50), to: .milliseconds(400), jitter: .random)
        let pauses = (0..<200).map { _ in backoff.pause() }
        for (pause, full) in zip(pauses, [50, 100, 200] + Array(repeating: 400, count: 197)) {
            #expect((.milliseconds(full) / 2 ... .milliseconds(full)).contains(pause))
        }
        #expect(Set(pauses).count > 100)
    }
}
