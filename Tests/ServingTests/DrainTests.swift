import EventLoop
import Glibc
import HTTPWire
import JSON
import Synchronization
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Drain", .blocking)
struct DrainTests {
    @Test("ends idle connections at once")
    func idle() async throws {
        let harness = try Harness.operated()
        let (apps, admin) = (try harness.connect(), try harness.connect(.admin))
        for client in [apps, admin] { _ = try await harness.exchange(client, "GET /healthz") }
        let isDrained = harness.drain()
        try await harness.ends(apps)
        try await harness.ends(admin)
        #expect(isDrained())
    }

    @Test("answers the first request of a client that has just connected, and ends then")
    func fresh() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        await harness.settle()
        let isDrained = harness.drain()
        await harness.settle()
        await harness.advance(by: ServingLimits.drainGrace - .milliseconds(1))
        #expect(!isDrained())
        let answer = try await harness.exchange(client, "GET /healthz")
        #expect(answer.status == 200)
        #expect(answer.header("Connection") == "close")
        try await harness.ends(client)
    }

    @Test("waits no more than a moment for a client that has connected and says nothing")
    func silent() async throws {
        let harness = try Harness()
        let clients = try (0..<3).map { _ in try harness.connect() }
        await harness.settle()
        let isDrained = harness.drain()
        await harness.settle()
        #expect(!isDrained())
        await harness.advance(by: ServingLimits.drainGrace)
        for client in clients { try await harness.ends(client) }
        #expect(isDrained())
    }

    @Test(
        "answers what was sent on an idle connection before it ended",
        arguments: ["GET /healthz", "GET /v1/tokens/web"]
    )
    func lastMoment(_ line: String) async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        for _ in 1...3 { _ = try await harness.exchange(client, line) }
        await harness.settle()
        // The loop learns of the drain first.
        let isDrained = harness.drain()
        client.send(message(line))
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 200)
        #expect(answer.header("Connection") == "close")
        try await harness.ends(client)
        try await harness.until(isDrained)
    }

    @Test("answers those who were about to be accepted")
    func queued() async throws {
        let harness = try Harness()
        // The loop learns of the drain first.
        let isDrained = harness.drain()
        let clients = try (0..<100).map { _ in try harness.connect() }
        for client in clients { client.send(message("GET /healthz")) }
        for client in clients {
            #expect(try await harness.answer(on: client).header("Connection") == "close")
            client.close()
        }
        try await harness.until(isDrained)
    }

    @Test("tells those who wait for a mint that the broker stops")
    func waiting() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web") + message("GET /healthz"))
        try await harness.until { harness.waiters == 1 }
        let isDrained = harness.drain()
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 503)
        #expect(answer.code == "shutting_down")
        #expect(answer.header("Retry-After") == "1")
        #expect(answer.header("Connection") == "close")
        #expect(harness.waiters == 0)
        try await harness.ends(client)
        #expect(!isDrained())
        client.close()
        try await harness.until(isDrained)
    }

    @Test("answers a request that is still arriving, and ends then")
    func arriving() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send("GET /healthz HTTP/1.1\r\n")
        await harness.settle()
        let isDrained = harness.drain()
        await harness.settle()
        #expect(!isDrained())
        client.send("Host: localhost\r\n\r\n")
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 200)
        #expect(answer.header("Connection") == "close")
        try await harness.ends(client)
    }

    @Test("lets nobody begin to wait")
    func arrivingMiss() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send("GET /v1/tokens/web HTTP/1.1\r\n")
        await harness.settle()
        _ = harness.drain()
        await harness.settle()
        client.send("Host: localhost\r\n\r\n")
        #expect(try await harness.answer(on: client).code == "shutting_down")
        #expect(harness.waiters == 0)
        try await harness.ends(client)
    }

    @Test("reloads nothing while the apps socket drains, and says so at once")
    func reload() async throws {
        let harness = try Harness.operated()
        let client = try harness.connect()
        client.send("GET /healthz HTTP/1.1\r\n")
        await harness.settle()
        let isDrained = harness.drain()
        await harness.settle()
        let asking = try harness.connect(.admin)
        asking.send(message("POST /v1/reload"))
        await harness.settle()
        #expect(harness.reloads.count == 0)
        asking.receive()
        #expect(asking.takeAnswer()?.code == "shutting_down")
        #expect(!isDrained())
    }

    @Test("sends to its end what is being sent, and ends then")
    func sending() async throws {
        let harness = try Harness(.crowd)
        let client = try harness.connect()
        client.send(String(repeating: message("GET /v1/tokens"), count: 40))
        await harness.settle()
        let isDrained = harness.drain()
        await harness.settle()
        #expect(!isDrained())
        while try await harness.answer(on: client).header("Connection") == nil {}
        try await harness.ends(client)
        client.close()
        try await harness.until(isDrained)
    }

    @Test("ends a connection whose last answer is out, though it was told to stay")
    func sendingLast() async throws {
        let harness = try Harness(.crowd)
        let client = try harness.connect()
        try await harness.fill(client)
        let isDrained = harness.drain()
        await harness.settle()
        #expect(!isDrained())
        try await harness.until {
            client.receive()
            return client.isEnded
        }
        #expect(isDrained())
    }

    @Test("takes no more connections")
    func refused() async throws {
        let harness = try Harness()
        let isDrained = harness.drain()
        try await harness.until(isDrained)
        #expect(throws: SystemError(call: "connect", number: ENOENT)) { try harness.connect() }
    }
}

extension Harness {
    /// Begins a drain.
    ///
    /// - Returns: asks whether it is over.
    func drain() -> () -> Bool {
        let isDrained = Flag()
        servers.drain { isDrained.raise() }
        return { isDrained.isRaised }
    }

    /// Sends requests one at a time, and reads nothing, until the last answer does not fit.
    func fill(_ client: Client) async throws {
        client.send(message("GET /v1/tokens"))
        await settle()
        let size = client.pending
        for count in 2...40 {
            client.send(message("GET /v1/tokens"))
            await settle()
            if client.pending < count * size { return }
        }
        Issue.record("every answer fits")
    }
}

final class Flag: Sendable {
    private let state = Mutex(false)

    var isRaised: Bool { state.withLock { $0 } }

    func raise() {
        state.withLock { $0 = true }
    }
}
