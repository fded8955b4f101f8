import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Fetching a token", .blocking)
struct FetchTests {
    @Test("answers every field in its unit, and a token that works at the provider")
    func fields() throws {
        let before = WallClock.milliseconds
        let site = try Site()
        let answer = try site.broker.fetch("web")
        let after = WallClock.milliseconds

        #expect(answer.status == 200)
        #expect(answer.headers.values("Content-Type") == ["application/json"])
        #expect(answer.headers.values("Cache-Control") == ["no-store"])
        let generation = try #require(answer.integer("generation"))
        #expect(generation > 0)
        #expect(answer.headers.values("ETag") == ["\"\(generation)\""])
        #expect(answer.text("name") == "web")
        #expect(answer.text("token_type") == "Bearer")
        #expect(answer.json["degraded"] == false)

        let milliseconds = try #require(answer.integer("expires_at_ms"))
        #expect(answer.integer("expires_at") == milliseconds / 1000)
        // The provider says whole seconds, and its Date is up to one second behind.
        #expect((before + 3598_000...after + 3600_000).contains(milliseconds))
        let left = try #require(answer.integer("expires_in"))
        #expect(((milliseconds - after) / 1000 - 1...(milliseconds - before) / 1000).contains(left))
        let refresh = try #require(answer.integer("refresh_at"))
        #expect((before / 1000 + 2400...milliseconds / 1000 - 30).contains(refresh))
        #expect(answer.json.object?.members.count == 9)

        let token = try #require(answer.text("access_token"))
        #expect(try site.simulator.suggest(token) == 200)
        #expect(try site.simulator.suggest("at_v1_made_up") == 401)
    }

    @Test("a second fetch is answered from the cache")
    func cached() throws {
        let site = try Site(Site.onDemand)
        #expect(try site.simulator.mints() == 0)
        let connection = try site.broker.connect()
        let first = try connection.exchange(.get, "/v1/tokens/web")
        let second = try connection.exchange(.get, "/v1/tokens/web")
        #expect(first.text("access_token") != nil)
        #expect(second.text("access_token") == first.text("access_token"))
        #expect(second.integer("generation") == first.integer("generation"))
        #expect(try site.simulator.mints() == 1)
    }

    @Test("two hundred callers of a token that nobody has yet share one mint")
    func stampede() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 300]) }
        let callers = try (0..<200).map { _ in try site.broker.connect() }
        let request = try HTTPClientRequest(.get, "/v1/tokens/web")
        for caller in callers { try caller.send(request) }
        let answers = try callers.map { try $0.receive() }
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map { $0.text("access_token") }).count == 1)
        #expect(try site.simulator.mints() == 1)
    }

    @Test("a caller that hangs up takes nothing from the others")
    func hangUp() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 2000]) }
        let request = try HTTPClientRequest(.get, "/v1/tokens/web")
        var first: Connection? = try site.broker.connect()
        try first?.send(request)
        try Deadline.until("the mint has begun") { try site.simulator.requestsInFlight() == 1 }
        let others = try (0..<5).map { _ in try site.broker.connect() }
        for caller in others { try caller.send(request) }
        first = nil
        for caller in others { #expect(try caller.receive().status == 200) }
        #expect(try site.simulator.requests() == 1)
    }

    @Test("a mint whose only caller hung up is there for the next one")
    func abandonedMint() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 2000]) }
        var only: Connection? = try site.broker.connect()
        try only?.send(HTTPClientRequest(.get, "/v1/tokens/web"))
        try Deadline.until("the mint has begun") { try site.simulator.requestsInFlight() == 1 }
        only = nil
        #expect(try site.broker.fetch("web").status == 200)
        #expect(try site.simulator.requests() == 1)
    }
}
