import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("Reporting a refused token", .timeLimit(.minutes(1)))
struct RejectionTests {
    @Test("brings another token, which is handed out from then on")
    func another() async throws {
        let world = World(.token(1), .token(2))
        let client = world.client
        let first = try await client.token(named: "web")
        #expect(try await client.rejected(first, providerCode: "EXPIRED").generation == 2)
        #expect(try await client.token(named: "web").generation == 2)
        let request = try #require(world.broker.requests.last)
        #expect(request.method == .post)
        #expect(request.target == "/v1/tokens/web/rejected")
        #expect(request.json == ["access_token": "at_v1_1", "provider_code": "EXPIRED"])
        #expect(request.header("Prefer") == "wait=10")
    }

    @Test("of many at once one asks, and those who come later get what it brought")
    func many() async throws {
        let answer = Delivery<HTTPClientResponse>()
        let world = World(.token(1), .later(answer))
        let client = world.client
        let first = try await client.token(named: "web")
        try await world.broker.arrival()
        let reports = (0..<20).map { _ in Task { try await client.rejected(first) } }
        try await world.broker.arrival()
        answer.close(with: .success(.token(2)))
        for report in reports { #expect(try await report.value.generation == 2) }
        #expect(try await client.rejected(first).generation == 2)
        #expect(world.broker.requests.count == 2)
    }

    @Test("names the user whose token it is")
    func user() async throws {
        let world = World(.token(1), .token(2), .token(3))
        let client = world.client
        _ = try await client.token(named: "web")
        let token = try await client.token(named: "web", endUser: EndUser(id: "ann", plan: "pro"))
        #expect(try await client.rejected(token).generation == 3)
        #expect(
            world.broker.requests.last?.json
                == ["end_user": ["id": "ann", "plan": "pro"], "access_token": "at_v1_2"]
        )
        #expect(try await client.token(named: "web").generation == 1)
    }

    @Test("that fails has the broker asked for the next token: it may have dropped this one")
    func failing() async throws {
        let world = World(
            .token(1),
            .problem(503, "provider_quota_exhausted"),
            .problem(503, "provider_quota_exhausted")
        )
        let client = world.client
        let first = try await client.token(named: "web")
        let report = await failure { try await client.rejected(first, providerCode: "insufficient_quota") }
        #expect(report?.code == .providerQuotaExhausted)
        #expect(await failure { try await client.token(named: "web") }?.code == .providerQuotaExhausted)
    }

    @Test("does not wait behind a fetch, and an answer to one that was older changes nothing")
    func behindFetch() async throws {
        let fetch = Delivery<HTTPClientResponse>()
        let world = World(.token(1), .later(fetch), .token(2))
        let client = world.client
        let first = try await client.token(named: "web")
        try await world.broker.arrival()
        async let other = client.token(named: "web", minimumTimeToLive: .seconds(200))
        try await world.broker.arrival()
        #expect(try await client.rejected(first).generation == 2)
        fetch.close(with: .success(.token(1)))
        #expect(try await other.generation == 1)
        #expect(try await client.token(named: "web").generation == 2)
    }
}

@Suite("Tokens for an SDK")
struct AuthorizationTokenSourceTests {
    @Test("are the present one's text, and another's after it was invalidated")
    func invalidated() async throws {
        let world = World(.token(1), .token(2))
        let source = AuthorizationTokenSource(world.client, named: "web", endUser: EndUser(id: "ann"))
        #expect(try await source.authorizationToken() == "at_v1_1")
        #expect(try await source.authorizationToken() == "at_v1_1")
        await source.invalidateToken()
        await source.invalidateToken()
        #expect(try await source.authorizationToken() == "at_v1_2")
        #expect(try await source.authorizationToken() == "at_v1_2")
        #expect(world.broker.requests.map(\.target) == ["/v1/tokens/web", "/v1/tokens/web/rejected"])
        #expect(world.broker.requests.allSatisfy { $0.json["end_user"]?["id"] == "ann" })
    }

    @Test("stay invalid while there is no other")
    func noOther() async throws {
        let world = World(.token(1), .problem(503, "provider_unavailable"), .token(2))
        let source = AuthorizationTokenSource(world.client, named: "web")
        _ = try await source.authorizationToken()
        await source.invalidateToken()
        #expect(await failure { try await source.authorizationToken() }?.code == .providerUnavailable)
        #expect(try await source.authorizationToken() == "at_v1_2")
    }

    @Test("stay what they are where the broker has found that they work")
    func notStale() async throws {
        let world = World(.token(1), .problem(409, "token_not_stale"), .token(1))
        let source = AuthorizationTokenSource(world.client, named: "web")
        _ = try await source.authorizationToken()
        await source.invalidateToken()
        for _ in 0..<2 { #expect(try await source.authorizationToken() == "at_v1_1") }
        #expect(world.broker.requests.count == 3)
    }

    @Test("need nothing to be invalidated")
    func nothing() async throws {
        let world = World(.token(1))
        let source = AuthorizationTokenSource(world.client, named: "web")
        await source.invalidateToken()
        #expect(try await source.authorizationToken() == "at_v1_1")
        #expect(world.broker.requests.map(\.method) == [.get])
    }
}
