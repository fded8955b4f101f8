import HTTPWire
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Scarce connections", .blocking)
struct ScarcityTests {
    // MARK: Waiting

    @Test("one provider's waiting callers get half of a user's connections, and the next is told so at once")
    func waitingCallers() async throws {
        let harness = try Harness(.account([.open("web"), .open("mail")], limits: .connections(8)))
        let clients = try (1...4).map { _ in try harness.connect() }
        for client in clients { client.send(message("GET /v1/tokens/web")) }
        try await harness.until { harness.waiters == 4 }
        for token in ["web", "mail"] {
            let refused = try await harness.request("GET /v1/tokens/\(token)")
            #expect(refused.status == 503)
            #expect(refused.code == "too_many_connections")
            #expect(refused.header("Retry-After") == "1")
        }
        #expect(harness.waiters == 4)
    }

    @Test("a caller that leaves, runs out of patience or is answered makes room for another")
    func room() async throws {
        let harness = try Harness(.account([.open("web")], limits: .connections(2)))
        func waits(_ fields: String...) async throws -> Client {
            let client = try harness.connect()
            client.send(message("GET /v1/tokens/web", fields))
            try await harness.until { harness.waiters == 1 }
            #expect(try await harness.request("GET /v1/tokens/web").code == "too_many_connections")
            return client
        }
        try await waits().close()
        try await harness.until { harness.waiters == 0 }
        let impatient = try await waits("Prefer: wait=3")
        await harness.advance(by: .seconds(3))
        #expect(try await harness.answer(on: impatient).status == 504)
        impatient.close()
        let answered = try await waits()
        harness.provider.give(.failure(.transient))
        #expect(try await harness.answer(on: answered).code == "provider_unavailable")
        answered.close()
        await harness.advance(by: .seconds(600))
        _ = try await waits()
    }

    @Test("what is there is served however many wait")
    func hit() async throws {
        let harness = try Harness(.account([.open("web"), .open("mail")], limits: .connections(4)))
        try await harness.mintWeb()
        let clients = try (1...2).map { _ in try harness.connect() }
        for client in clients { client.send(message("GET /v1/tokens/mail")) }
        try await harness.until { harness.broker.status(of: "mail")?.waiters == 2 }
        #expect(try await harness.request("GET /v1/tokens/mail").status == 503)
        #expect(try await harness.request("GET /v1/tokens/web").status == 200)
    }

    @Test("each provider and each user has a line of its own")
    func lines() {
        var callers = WaitingCallers()
        let line = WaitingCallers.Line(uid: 1, provider: "a")
        let enters = [
            callers.enter(line, connections: 3), callers.enter(line, connections: 3),
            callers.enter(WaitingCallers.Line(uid: 2, provider: "a"), connections: 3),
            callers.enter(WaitingCallers.Line(uid: 1, provider: "b"), connections: 3),
        ]
        #expect(enters == [true, false, true, true])
        callers.leave(line)
        // Whoever may have a single connection may wait on it.
        let entersAlone = callers.enter(line, connections: 1)
        #expect(entersAlone)
    }

    // MARK: Strangers

    @Test("users that no grant names share a few connections, and a named one has its own")
    func strangers() async throws {
        let harness = try Harness(.account([.closed("web")]))
        let clients = try (1...64).map { _ in try harness.connect() }
        for client in clients { #expect(try await harness.exchange(client, "GET /healthz").status == 200) }
        let refused = try harness.connect()
        await harness.settle()
        #expect(try await harness.exchange(refused, "GET /healthz").code == "too_many_connections")
        clients[0].close()
        await harness.settle()
        #expect(try await harness.request("GET /healthz").status == 200)
    }

    @Test("a reload that names a user gives the shared connections back")
    func namedByReload() async throws {
        let harness = try Harness(.account([.closed("web")]))
        let clients = try (1...64).map { _ in try harness.connect() }
        for client in clients { #expect(try await harness.exchange(client, "GET /healthz").status == 200) }
        harness.take(.account([.open("web")]))
        await harness.settle()
        let named = try harness.connect()
        #expect(try await harness.exchange(named, "GET /healthz").status == 200)
        harness.take(.account([.closed("web")]))
        await harness.settle()
        // Nobody is in the shared ones: those that were there stay what they were.
        #expect(try await harness.request("GET /healthz").status == 200)
    }

    @Test(
        "a grant names whom its user, its group or, alone, its unit fits",
        arguments: [
            (Grant(user: 10), true), (Grant(user: 11), false), (Grant(group: 20), true), (Grant(group: 21), true),
            (Grant(group: 22), false), (Grant(user: 10, group: 21), true), (Grant(user: 11, group: 21), false),
            (Grant(user: 10, group: 22), false), (Grant(unit: "api.service"), true),
            (Grant(unit: "web.service"), false), (Grant(user: 10, unit: "web.service"), true),
            (Grant(group: 21, unit: "web.service"), true), (Grant(user: 11, unit: "api.service"), false),
            (Grant(user: 10, surfaces: [.routes]), true),
        ]
    )
    func named(_ grant: Grant, _ isNamed: Bool) {
        let peer = Peer(pid: 1, uid: 10, gid: 20, supplementaryGroups: [21], process: InUnit(unit: "api.service"))
        let token = TokenDefinition(name: "web", provider: "account", grants: [grant])
        #expect(NamedPeers(of: .account([.closed("other"), token])).contains(peer) == isNamed)
    }

    @Test("on the admin socket operators, observers and root are named")
    func admin() throws {
        let harness = try Harness(operators: [AdminPrincipal(user: 10)], observers: [AdminPrincipal(group: 20)])
        func isNamed(_ uid: UInt32, _ gid: UInt32) -> Bool {
            harness.servers.admin.handler.names(Peer(pid: 1, uid: uid, gid: gid))
        }
        #expect(isNamed(0, 1))
        #expect(isNamed(10, 1))
        #expect(isNamed(11, 20))
        #expect(!isNamed(11, 1))
    }
}

private struct InUnit: ProcessWitness {
    let unit: String

    func look() -> PeerProcessFacts? { PeerProcessFacts(unit: unit) }
}
