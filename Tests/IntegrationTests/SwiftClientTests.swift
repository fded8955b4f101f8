import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing
import TokenBrokerClient

@Suite("A Swift program with the client library", .blocking)
struct SwiftClientTests {
    private func client(_ site: Site) -> TokenBrokerClient {
        TokenBrokerClient(socketPath: site.broker.appsSocket)
    }

    private func end(_ broker: BrokerProcess) throws {
        broker.process.send(SIGTERM)
        _ = try broker.process.waitForEnd()
    }

    @Test("gets a token that works, and again from memory when the broker has gone")
    func fetches() async throws {
        let site = try Site()
        let client = client(site)
        let token = try await client.token(named: "web")
        #expect(try site.simulator.suggest(token.accessToken) == 200)
        let answer = try site.broker.fetch("web")
        #expect(token.generation == answer.integer("generation"))
        #expect(token.expiresAt?.milliseconds == answer.integer("expires_at_ms"))
        #expect(token.refreshAt?.seconds == answer.integer("refresh_at"))
        try end(site.broker)
        #expect(try await client.token(named: "web").accessToken == token.accessToken)
    }

    @Test("that is many callers at once starts one mint, and one that leaves takes nothing from the others")
    func together() async throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 500]) }
        let client = client(site)
        let leaving = Task { try await client.token(named: "web") }
        let callers = (0..<100).map { _ in Task { try await client.token(named: "web").generation } }
        try Deadline.until("the mint has begun") { try site.simulator.requestsInFlight() == 1 }
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        var generations: Set<Int64> = []
        for caller in callers { generations.insert(try await caller.value) }
        #expect(generations.count == 1)
        #expect(try site.simulator.mints() == 1)
    }

    @Test("gets another token for one that its provider refused")
    func rejected() async throws {
        let site = try Site()
        let client = client(site)
        let first = try await client.token(named: "web")
        let second = try await client.rejected(first)
        #expect(second.accessToken != first.accessToken)
        #expect(try site.simulator.suggest(second.accessToken) == 200)
        #expect(try await client.token(named: "web").accessToken == second.accessToken)
        #expect(try site.simulator.mints() == 2)
    }

    @Test("does not notice a restart, on a connection that it had kept")
    func restart() async throws {
        let site = try Site()
        let client = client(site)
        _ = try await client.token(named: "web")
        try end(site.broker)
        let again = try BrokerProcess(site.scratch, site.settings.text)
        // More than it has, so that the broker is asked.
        let token = try await client.token(named: "web", minimumTimeToLive: .seconds(86400))
        #expect(try again.fetch("web").text("access_token") == token.accessToken)
    }

    @Test("waits for a broker that is just being started")
    func start() async throws {
        let site = try Site()
        let client = client(site)
        try end(site.broker)
        async let token = client.token(named: "web")
        let again = try BrokerProcess(site.scratch, site.settings.text)
        #expect(try await token.accessToken == again.fetch("web").text("access_token"))
    }

    @Test("follows the generations through refreshes and a restart")
    func generations() async throws {
        let site = try Site()
        var iterator = client(site).generations(of: "web").makeAsyncIterator()
        var seen = [try #require(try await iterator.next()).generation]
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        seen.append(try #require(try await iterator.next()).generation)
        try end(site.broker)
        let again = try BrokerProcess(site.scratch, site.settings.text)
        seen.append(try #require(try await iterator.next()).generation)
        #expect(seen == seen.sorted())
        #expect(Set(seen).count == 3)
        #expect(try again.fetch("web").integer("generation") == seen.last)
    }

    @Test("stops following when it is cancelled, and its poll is gone from the broker")
    func cancelled() async throws {
        let site = try Site()
        let client = client(site)
        // The token is there, so that whoever waits is the poll.
        _ = try await client.token(named: "web")
        let reader = Task {
            var count = 0
            for try await _ in client.generations(of: "web") { count += 1 }
            return count
        }
        func waiters() throws -> Int64? {
            try site.broker.status(of: "web")["waiters"]?.number?.int64
        }
        try Deadline.until("the poll") { try waiters() == 1 }
        reader.cancel()
        #expect(try await reader.value == 1)
        try Deadline.until("its end") { try waiters() == 0 }
    }

    @Test("is told what the broker and the provider say")
    func errors() async throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["status": 500]) }
        let client = client(site)
        let unknown = await #expect(throws: TokenBrokerError.self) { try await client.token(named: "nothing") }
        #expect(unknown?.code == .unknownToken)
        #expect(unknown?.status == 404)
        let failing = await #expect(throws: TokenBrokerError.self) { try await client.token(named: "web") }
        #expect(failing?.code == .providerUnavailable)
        #expect(failing?.providerStatus == 500)
        #expect(failing?.retryAfter != nil)
    }

    @Test("that is an SDK asks for another token by invalidating the one before")
    func forAnSDK() async throws {
        let site = try Site()
        let source = AuthorizationTokenSource(client(site), named: "web")
        let first = try await source.authorizationToken()
        await source.invalidateToken()
        let second = try await source.authorizationToken()
        #expect(second != first)
        #expect(try site.simulator.suggest(second) == 200)
    }
}
