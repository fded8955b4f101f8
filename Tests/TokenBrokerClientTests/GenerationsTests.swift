import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("Following the generations of a token", .timeLimit(.minutes(1)))
struct GenerationsTests {
    private static let gone = ScriptedTransport.Step.failure(.notThere("Connection refused"))
    private static let noNews = ScriptedTransport.Step.answer(.answer(304))
    private static let pause = Duration.milliseconds(200)

    @Test("brings the present token, then each new one, by long polls that say what is known")
    func generations() async throws {
        let world = World(.token(7), .token(8), Self.noNews, .token(9), .problem(404, "unknown_token"))
        var iterator = world.client.generations(of: "web", endUserID: "a b").makeAsyncIterator()
        #expect(try await iterator.next()?.generation == 7)
        #expect(try await iterator.next()?.generation == 8)
        let clock = world.clock
        async let passed: Void = clock.pass(Self.pause)
        #expect(try await iterator.next()?.generation == 9)
        await passed
        #expect(await failure { try await iterator.next() }?.code == .unknownToken)
        let requests = world.broker.requests
        #expect(requests.map { $0.header("If-None-Match") } == [nil, "\"7\"", "\"8\"", "\"8\"", "\"9\""])
        #expect(requests.allSatisfy { $0.method == .get && $0.target == "/v1/tokens/web?end_user=a%20b" })
        #expect(requests.allSatisfy { $0.header("Prefer") == "wait=60" })
    }

    @Test("does not bring a generation again")
    func sameGeneration() async throws {
        let world = World(.token(7), .token(7, isDegraded: true), .token(8))
        var iterator = world.client.generations(of: "web").makeAsyncIterator()
        #expect(try await iterator.next()?.generation == 7)
        let clock = world.clock
        async let passed: Void = clock.pass(Self.pause)
        #expect(try await iterator.next()?.generation == 8)
        await passed
    }

    @Test("what it brings is what is handed out")
    func memory() async throws {
        let world = World(.token(7))
        var iterator = world.client.generations(of: "web").makeAsyncIterator()
        _ = try await iterator.next()
        #expect(try await world.client.token(named: "web").generation == 7)
        #expect(world.broker.requests.count == 1)
    }

    @Test("goes on through a long absence of the broker, at most five seconds apart")
    func absence() async throws {
        let world = World(.token(7))
        for _ in 0..<8 { world.broker.add(Self.gone) }
        world.broker.add(.token(8), Self.gone, .token(9))
        var iterator = world.client.generations(of: "web").makeAsyncIterator()
        #expect(try await iterator.next()?.generation == 7)
        let clock = world.clock
        async let passed: Void = {
            for pause in [200, 400, 800, 1600, 3200, 5000, 5000, 5000] { await clock.pass(.milliseconds(pause)) }
        }()
        #expect(try await iterator.next()?.generation == 8)
        await passed
        async let again: Void = clock.pass(Self.pause)
        #expect(try await iterator.next()?.generation == 9)
        await again
    }

    @Test("waits for a provider as long as the broker says, but never over a minute")
    func provider() async throws {
        let world = World(
            .problem(503, "provider_unavailable", ("retry_after", 9)),
            .problem(429, "too_many_requests", ("retry_after", 3600)),
            .token(7)
        )
        var iterator = world.client.generations(of: "web").makeAsyncIterator()
        let clock = world.clock
        async let passed: Void = {
            await clock.pass(.seconds(9))
            await clock.pass(.seconds(60))
        }()
        #expect(try await iterator.next()?.generation == 7)
        await passed
    }

    @Test("is an error where there never was a broker, or asking again would change nothing")
    func never() async throws {
        var absent = World(.failure(.notPermitted)).client.generations(of: "web").makeAsyncIterator()
        #expect(await failure { try await absent.next() }?.code == .unreachable)
        var refused = World(.problem(400, "invalid_request")).client.generations(of: "web").makeAsyncIterator()
        #expect(await failure { try await refused.next() }?.code == .invalidRequest)
        var nameless = World().client.generations(of: "../web").makeAsyncIterator()
        #expect(await failure { try await nameless.next() }?.code == .invalidRequest)
    }

    @Test("waits for a broker that is being restarted from the start")
    func restarting() async throws {
        let world = World(Self.gone, .token(7))
        var iterator = world.client.generations(of: "web").makeAsyncIterator()
        let clock = world.clock
        async let passed: Void = clock.pass(.milliseconds(50))
        #expect(try await iterator.next()?.generation == 7)
        await passed
    }

    @Test("ends when its task is cancelled, in a poll and in a pause", arguments: [true, false])
    func cancelled(_ inPoll: Bool) async throws {
        let world = World(.token(7), inPoll ? .silence : Self.noNews)
        let reader = Task {
            var seen: [Int64] = []
            for try await token in world.client.generations(of: "web") { seen.append(token.generation) }
            return seen
        }
        await world.clock.asleep(for: inPoll ? .seconds(65) : Self.pause)
        if inPoll {
            for _ in 0..<2 { try await world.broker.arrival() }
        }
        reader.cancel()
        #expect(try await reader.value == [7])
    }

    @Test("gives up a poll that is not answered, and asks again")
    func silence() async throws {
        let world = World(.token(7), .silence, .token(8))
        var iterator = world.client.generations(of: "web").makeAsyncIterator()
        _ = try await iterator.next()
        let clock = world.clock
        async let passed: Void = {
            await clock.pass(.seconds(65))
            await clock.pass(Self.pause)
        }()
        #expect(try await iterator.next()?.generation == 8)
        await passed
    }
}
