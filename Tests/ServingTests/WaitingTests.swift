import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Waiting for a mint", .blocking)
struct WaitingTests {
    @Test("answers everyone who waits from one mint")
    func shared() async throws {
        let harness = try Harness()
        let clients = try (1...3).map { _ in try harness.connect() }
        for client in clients { client.send(message("GET /v1/tokens/web")) }
        try await harness.until { harness.provider.waiting == 1 && harness.waiters == 3 }
        harness.provider.give(.token("at_v1_first"))
        for client in clients {
            #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_first")
        }
        #expect(harness.provider.started == 1)
        #expect(harness.waiters == 0)
    }

    @Test("takes what is there, or starts a mint and says so, for a caller who does not wait")
    func noWait() async throws {
        let harness = try Harness()
        let early = try await harness.request("GET /v1/tokens/web", ["Prefer: wait=0"])
        #expect(early.status == 504)
        #expect(early.code == "deadline_exceeded")
        #expect(early.json?["retry_after"] == 1)
        #expect(harness.waiters == 0)
        harness.provider.give(.token("at_v1_first"))
        try await harness.until { harness.broker.status(of: "web")?.mints == 1 }
        let late = try await harness.request("GET /v1/tokens/web", ["Prefer: wait=0"])
        #expect(late.json?["access_token"] == "at_v1_first")
    }

    @Test(
        "gives up when the caller's time is over, and not before",
        arguments: [([], 10), (["Prefer: wait=3"], 3), (["Prefer: wait=10000"], 300), (["Prefer: wait=x"], 10)]
            as [([String], Int64)]
    )
    func deadline(_ fields: [String], _ seconds: Int64) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web", fields))
        try await harness.until { harness.waiters == 1 }
        await harness.advance(by: .seconds(seconds) - .milliseconds(1))
        client.receive()
        #expect(client.received.isEmpty)
        #expect(harness.waiters == 1)
        harness.clock.advance(by: .milliseconds(1))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
        #expect(harness.waiters == 0)
    }

    @Test("drops an answer that comes too late, and serves the connection on")
    func lateAnswer() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web", ["Prefer: wait=3"]))
        try await harness.until { harness.provider.waiting == 1 }
        harness.clock.advance(by: .seconds(3))
        #expect(try await harness.answer(on: client).status == 504)
        harness.provider.give(.token("at_v1_first"))
        try await harness.until { harness.broker.status(of: "web")?.mints == 1 }
        await harness.settle()
        client.receive()
        #expect(client.received.isEmpty)
        #expect(try await harness.exchange(client, "GET /v1/tokens/web").json?["access_token"] == "at_v1_first")
    }

    @Test("a caller that hangs up gives its place back and changes nothing for the others")
    func hangUp() async throws {
        let harness = try Harness()
        let (leaver, stayer) = (try harness.connect(), try harness.connect())
        leaver.send(message("GET /v1/tokens/web"))
        stayer.send(message("GET /v1/tokens/web"))
        try await harness.until { harness.waiters == 2 }
        leaver.close()
        try await harness.until { harness.waiters == 1 }
        harness.provider.give(.token("at_v1_first"))
        #expect(try await harness.answer(on: stayer).status == 200)
        #expect(harness.provider.started == 1)
    }

    @Test("a caller that hung up before its request was read leaves nothing behind")
    func earlyHangUp() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web") + message("GET /healthz"))
        client.close()
        try await harness.until { harness.provider.started == 1 }
        try await harness.until { harness.waiters == 0 }
    }

    @Test("answers a caller that has finished writing")
    func halfClosed() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web"))
        client.finishWriting()
        try await harness.until { harness.waiters == 1 }
        await harness.settle()
        #expect(harness.waiters == 1)
        harness.provider.give(.token("at_v1_first"))
        #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_first")
        try await harness.ends(client)
    }

    @Test("looks the grants up again when a reload came in between")
    func reloadedGrants() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web"))
        try await harness.until { harness.provider.waiting == 1 }
        harness.take(.account([.closed("web")]))
        await harness.settle()
        harness.provider.give(.token("at_v1_first"))
        let answer = try await harness.answer(on: client)
        #expect(answer.code == "unknown_token")
        #expect(!answer.text.contains("at_v1"))
        #expect(harness.log.records.last?.message == "Token denied")
        #expect(harness.log.records.last?.metadata[.peerUID] == .integer(Int64(geteuid())))
    }

    @Test("says that the token is gone when a reload took it away")
    func withdrawn() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web"))
        try await harness.until { harness.waiters == 1 }
        harness.take(.account([]))
        #expect(try await harness.answer(on: client).code == "unknown_token")
    }

    @Test("goes on for what the name stands for now when a reload changed that", arguments: [true, false])
    func redefined(isPoll: Bool) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        var fields: [String] = []
        if isPoll {
            harness.provider.give(.token("at_v1_old"))
            let held = try await harness.request("GET /v1/tokens/web")
            let generation = try #require(held.json?["generation"]?.number?.int64)
            fields = ["If-None-Match: \"\(generation)\"", "Prefer: wait=9"]
        }
        client.send(message("GET /v1/tokens/web", fields))
        try await harness.until { harness.waiters == 1 && harness.provider.started == 1 }
        let token = TokenDefinition(
            name: "web",
            provider: "account",
            refresh: .onDemand,
            grants: [Grant(user: geteuid())],
            options: Options(["product_id": "another"])
        )
        harness.take(.account([token]))
        try await harness.until { harness.provider.started == 2 }
        if !isPoll { harness.provider.give(.token("at_v1_withdrawn")) }
        harness.provider.give(.token("at_v1_new"))
        #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_new")
        #expect(harness.waiters == 0)
    }

    @Test(
        "ends with the token that is still valid where only more of it was wanted",
        arguments: [["Prefer: wait=0"], ["Prefer: wait=3"], []]
    )
    func unmetMinimum(_ fields: [String]) async throws {
        let harness = try Harness()
        harness.provider.give(.token("at_v1_first", .after(.seconds(100))))
        #expect(try await harness.request("GET /v1/tokens/web").status == 200)
        await harness.advance(by: .seconds(5))
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web?min_ttl=97", fields))
        if fields != ["Prefer: wait=0"] {
            try await harness.until { harness.waiters == 1 }
            harness.clock.advance(by: .seconds(fields.isEmpty ? 10 : 3))
        }
        let answer = try await harness.answer(on: client)
        #expect(answer.json?["access_token"] == "at_v1_first")
        #expect(answer.json?["degraded"] == false)
        // The mint goes on, and brings what comes next.
        try await harness.until { harness.provider.started == 2 }
    }

    @Test("serves no token that ended while its answer was on the way")
    func endedOnTheWay() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web"))
        try await harness.until { harness.provider.waiting == 1 }
        harness.provider.give(.token("at_v1_first", .after(.seconds(5))))
        // The loop does not run: the host sleeps between the mint's end and the answer.
        while harness.broker.status(of: "web")?.mints == 0 { await Task.yield() }
        harness.clock.advance(by: .seconds(5))
        let answer = try await harness.answer(on: client)
        #expect(answer.code == "provider_unavailable")
        #expect(!answer.text.contains("at_v1"))
    }
}

extension Harness {
    /// Takes a new definition, as the daemon does after a reload.
    func take(_ definition: BrokerDefinition, operators: [AdminPrincipal] = []) {
        policies.definitionChanged(definition)
        broker.reload(Broker.Supply(definition, with: provider))
        servers.configurationChanged(operators: operators, observers: [], facts: .example)
    }
}
