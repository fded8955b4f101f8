import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("Fetching a token")
struct FetchTests {
    @Test("tells all that the broker says, each time in its unit")
    func fields() async throws {
        let world = World(.token(7, isDegraded: true))
        let token = try await world.client.token(named: "web")
        #expect(token.name == "web")
        #expect(token.accessToken == "at_v1_7")
        #expect(token.tokenType == "Bearer")
        #expect(token.generation == 7)
        #expect(token.isDegraded)
        #expect(token.expiresAt?.milliseconds == 1_800_000_100_000)
        #expect(token.expiresAt?.seconds == 1_800_000_100)
        #expect(token.refreshAt?.seconds == 1_800_000_070)
        let request = try #require(world.broker.requests.first)
        #expect(request.method == .get)
        #expect(request.target == "/v1/tokens/web")
        #expect(request.header("Prefer") == "wait=10")
    }

    @Test("asks once until it is time to refresh, and then again")
    func memory() async throws {
        let world = World(.token(1), .token(2, lifetime: 200, refresh: 170))
        for _ in 0..<3 { #expect(try await world.client.token(named: "web").generation == 1) }
        world.clock.advance(by: .milliseconds(69_999))
        #expect(try await world.client.token(named: "web").generation == 1)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await world.client.token(named: "web").generation == 2)
        #expect(world.broker.requests.count == 2)
    }

    @Test("goes by both clocks: time asleep counts, and so does a wall clock that was set", arguments: [true, false])
    func clocks(_ byBoot: Bool) async throws {
        let world = World(.token(1), .token(2))
        _ = try await world.client.token(named: "web")
        world.clock.advance(by: byBoot ? .seconds(70) : .zero, wall: byBoot ? .zero : .seconds(70))
        #expect(try await world.client.token(named: "web").generation == 2)
    }

    @Test("never hands out a token past its end, whatever its time to refresh")
    func end() async throws {
        let world = World(.token(1, lifetime: 100, refresh: 1000), .token(2, lifetime: 300, refresh: 200))
        _ = try await world.client.token(named: "web")
        world.clock.advance(by: .seconds(99))
        #expect(try await world.client.token(named: "web").generation == 1)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await world.client.token(named: "web").generation == 2)
    }

    @Test("asks for a minimum in whole seconds, unless what is in memory has as much left")
    func minimum() async throws {
        let world = World(.token(1), .token(2, lifetime: 200, refresh: 150))
        let client = world.client
        _ = try await client.token(named: "web", minimumTimeToLive: .milliseconds(1500))
        #expect(world.broker.requests.map(\.target) == ["/v1/tokens/web?min_ttl=2"])
        #expect(try await client.token(named: "web", minimumTimeToLive: .seconds(100)).generation == 1)
        #expect(try await client.token(named: "web", minimumTimeToLive: .seconds(101)).generation == 2)
        #expect(world.broker.requests.last?.target == "/v1/tokens/web?min_ttl=101")
        #expect(try await client.token(named: "web", minimumTimeToLive: .seconds(-5)).generation == 2)
    }

    @Test("asks for no longer minimum than there is")
    func longestMinimum() async throws {
        let world = World(.token(1))
        _ = try await world.client.token(named: "web", minimumTimeToLive: .seconds(Int64.max))
        #expect(world.broker.requests.map(\.target) == ["/v1/tokens/web?min_ttl=2592000"])
    }

    @Test(
        "asks for as much patience as it was given, in whole seconds, and for a day at most",
        arguments: [(.milliseconds(1500), 2), (.seconds(-1), 0), (.seconds(Int64.max), 86400)] as [(Duration, Int)]
    )
    func patience(_ patience: Duration, _ seconds: Int) async throws {
        let broker = ScriptedTransport([.token(1)])
        let line = BrokerLine(path: "/s", transport: broker, clock: ManualClock(), jitter: .random)
        _ = try await TokenBrokerClient(line: line, patience: patience).token(named: "web")
        #expect(broker.requests.first?.header("Prefer") == "wait=\(seconds)")
    }

    @Test("asks once a minute for a credential without an end")
    func endless() async throws {
        let world = World(.token(1, lifetime: nil, refresh: nil), .token(2, lifetime: nil, refresh: nil))
        let token = try await world.client.token(named: "web", minimumTimeToLive: .seconds(3600))
        #expect(token.expiresAt == nil)
        #expect(token.refreshAt == nil)
        world.clock.advance(by: .seconds(59))
        #expect(try await world.client.token(named: "web").generation == 1)
        world.clock.advance(by: .seconds(1))
        #expect(try await world.client.token(named: "web").generation == 2)
    }

    @Test("gives each name and each user their own, and says who the user is")
    func users() async throws {
        let world = World(.token(1), .token(2), .token(3), .token(4))
        let client = world.client
        let ann = EndUser(id: "ann", attributes: ["team": ["red", true], "seats": 3, "of": ["b": "2", "a": 1]])
        let paying = EndUser(id: "ann", plan: "pro")
        for _ in 0..<2 {
            #expect(try await client.token(named: "web").generation == 1)
            #expect(try await client.token(named: "web", endUser: ann).generation == 2)
            #expect(try await client.token(named: "web", endUser: paying).generation == 3)
            #expect(try await client.token(named: "ios", endUser: ann).generation == 4)
        }
        let requests = world.broker.requests
        #expect(requests.map(\.target) == ["web", "web", "web", "ios"].map { "/v1/tokens/\($0)" })
        #expect(requests.map(\.method) == [.get, .post, .post, .post])
        let attributes: JSONValue = ["of": ["a": 1, "b": "2"], "seats": 3, "team": ["red", true]]
        #expect(requests[1].json == ["end_user": ["id": "ann", "attributes": attributes]])
        #expect(requests[1].header("Content-Type") == "application/json")
        #expect(requests[2].json == ["end_user": ["id": "ann", "plan": "pro"]])
    }

    @Test("keeps the newer of two answers that overtook each other")
    func overtaken() async throws {
        let slow = Delivery<HTTPClientResponse>()
        let world = World(.later(slow), .token(2))
        let client = world.client
        async let first = client.token(named: "web")
        try await world.broker.arrival()
        #expect(try await client.token(named: "web", minimumTimeToLive: .seconds(90)).generation == 2)
        slow.close(with: .success(.token(1)))
        #expect(try await first.generation == 1)
        #expect(try await client.token(named: "web").generation == 2)
    }

    @Test(
        "takes no name that could be another path",
        arguments: ["", "a/b", "a?b", "%41", "Web", "-a", ".", "a b", "ä"]
    )
    func names(_ name: String) async {
        let world = World()
        #expect(await failure { try await world.client.token(named: name) }?.code == .invalidRequest)
        #expect(world.broker.requests.isEmpty)
    }

    @Test("takes every name that a configuration may have")
    func longNames() async throws {
        let world = World(.token(1))
        #expect(await failure { try await world.client.token(named: String(repeating: "a", count: 64)) } != nil)
        _ = try await world.client.token(named: "0" + String(repeating: "a", count: 59) + "._-")
    }
}
