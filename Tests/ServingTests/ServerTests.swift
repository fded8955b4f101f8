import EventLoop
import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Server", .blocking)
struct ServerTests {
    @Test("turns a user away who has too many connections, until one ends")
    func limit() async throws {
        let harness = try Harness(.account([.open("web")], limits: .connections(2)))
        let first = try harness.connect()
        let second = try harness.connect()
        let third = try harness.connect()
        await harness.settle()
        let answer = try await harness.exchange(third, "GET /healthz")
        #expect(answer.status == 503)
        #expect(answer.code == "too_many_connections")
        #expect(answer.header("Retry-After") == "1")
        try await harness.ends(third)
        #expect(try await harness.exchange(second, "GET /healthz").status == 200)
        first.close()
        await harness.settle()
        #expect(try await harness.request("GET /healthz").status == 200)
    }

    @Test("lets a client that is turned away send its request first, and not stay")
    func turnedAway() async throws {
        let harness = try Harness(.account([.open("web")], limits: .connections(1)))
        let first = try harness.connect()
        let second = try harness.connect()
        await harness.settle()
        #expect(second.send(message("GET /healthz")))
        #expect(try await harness.answer(on: second).code == "too_many_connections")
        await harness.advance(by: ServingLimits.lingerDeadline)
        #expect(harness.connectionCount == 1)
        #expect(try await harness.exchange(first, "GET /healthz").status == 200)
    }

    @Test("keeps no more than a few of those it turns away")
    func manyTurnedAway() async throws {
        let harness = try Harness(.account([.open("web")], limits: .connections(1)))
        let clients = try (1...100).map { _ in try harness.connect() }
        for _ in clients { await harness.turn() }
        #expect(harness.connectionCount == 65)
        for client in clients { client.close() }
        await harness.settle()
        #expect(harness.connectionCount == 0)
        #expect(try await harness.request("GET /healthz").status == 200)
    }

    @Test("holds a bounded number of a user's requests that came in part, and takes more when those end")
    func unfinished() async throws {
        let bench = try Bench()
        let limit = ConnectionQuota.unfinishedRequestsPerUID
        let clients = try (0..<limit).map { _ in try bench.connect() }
        for _ in clients { bench.loop.runOnce(waiting: false) }
        for client in clients { client.send("POST /v1/tokens/web HTTP/1.1\r\nHost: l\r\nContent-Length: 9\r\n\r\n{") }
        for _ in 0..<3 { bench.loop.runOnce(waiting: false) }
        let late = try bench.connect()
        late.send("GET /hea")
        for _ in 0..<3 { bench.loop.runOnce(waiting: false) }
        late.receiveToEnd()
        #expect(late.isEnded)
        clients[0].close()
        for _ in 0..<3 { bench.loop.runOnce(waiting: false) }
        let next = try bench.connect()
        next.send("GET /hea")
        for _ in 0..<3 { bench.loop.runOnce(waiting: false) }
        next.receive()
        #expect(!next.isEnded)
    }

    @Test("counts the connections of each socket apart")
    func sockets() async throws {
        let harness = try Harness.operated(.account([.open("web")], limits: .connections(1)))
        let (apps, admin) = (try harness.connect(), try harness.connect(.admin))
        #expect(try await harness.exchange(apps, "GET /healthz").status == 200)
        #expect(try await harness.exchange(admin, "GET /healthz").status == 200)
    }

    @Test("takes another limit from a reload")
    func reloadedLimit() async throws {
        let harness = try Harness(.account([.open("web")], limits: .connections(1)))
        let first = try harness.connect()
        #expect(try await harness.exchange(first, "GET /healthz").status == 200)
        #expect(try await harness.request("GET /healthz").status == 503)
        harness.take(.account([.open("web")], limits: .connections(3)))
        await harness.settle()
        #expect(try await harness.request("GET /healthz").status == 200)
    }

    @Test("ends idle connections, the oldest first, when descriptors run out")
    func shortage() async throws {
        let bench = try Bench()
        let clients = try (1...100).map { _ in try bench.connect() }
        for _ in clients { bench.loop.runOnce(waiting: false) }
        clients[0].send("GET /hea")
        bench.loop.runOnce(waiting: false)
        bench.listener.fail(with: SystemError(call: "accept4", number: EMFILE))
        let late = try bench.connect()
        bench.loop.runOnce(waiting: false)
        #expect(bench.server.connections.count == 87)
        for client in clients[1...13] { client.receiveToEnd() }
        for client in clients { client.receive() }
        // The first is in the middle of a request.
        #expect(
            clients.map(\.isEnded) == [false] + Array(repeating: true, count: 13) + Array(repeating: false, count: 86)
        )
        #expect(bench.log.records.map(\.message) == ["Out of descriptors, accepting pauses"])
        #expect(!late.isEnded)
        // Long before the acceptor's rest is over: what brings the late one in is that others were closed.
        bench.clock.advance(by: .milliseconds(1))
        for _ in 0..<2 { bench.loop.runOnce(waiting: false) }
        #expect(bench.server.connections.count == 88)
    }

    @Test("reports a socket that is dead")
    func dead() async throws {
        let bench = try Bench()
        bench.listener.fail(with: SystemError(call: "accept4", number: EINVAL))
        _ = try bench.connect()
        bench.loop.runOnce(waiting: false)
        #expect(bench.failed.isRaised)
        #expect(bench.log.records.map(\.level) == [.error])
    }
}

/// One server on a socket whose listener can be made to fail.
private final class Bench {
    let clock = ManualClock()
    let loop: EventLoop
    let server: Server
    let listener: FailingListener
    let log = MemoryLogOutput()
    let failed = Flag()
    private let directory: TemporaryDirectory

    init() throws {
        let (clock, failed) = (clock, failed)
        directory = try TemporaryDirectory()
        loop = try EventLoop(clock: { clock.now().boot.nanoseconds })
        listener = FailingListener(try UnixListener(path: directory.file("apps"), mode: 0o600))
        server = Server(
            SocketMetrics("test"),
            loop: loop,
            handler: NoHandler(),
            logger: Logger(level: .warning, output: log),
            connectionsPerUID: 1000,
            onFailure: { failed.raise() }
        )
        try server.start(on: listener, reservesDescriptors: false)
    }

    deinit {
        server.drain {}
    }

    func connect() throws -> Client {
        try Client(connectingTo: directory.file("apps"))
    }
}

private final class NoHandler: RequestHandler {
    let looksAtProcesses = false

    func names(_ peer: Peer) -> Bool { true }

    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome {
        .respond(Problem.notFound.response)
    }
}

/// A listener that can be made to fail once.
///
/// `@unchecked Sendable`: a test uses it on one thread.
private final class FailingListener: Listener, @unchecked Sendable {
    private let listener: UnixListener
    private var failure: SystemError?

    init(_ listener: UnixListener) {
        self.listener = listener
    }

    func fail(with error: SystemError) {
        failure = error
    }

    func watch(on loop: EventLoop, _ handler: any ReadinessHandler) throws(SystemError) -> Watch {
        try listener.watch(on: loop, handler)
    }

    func accept() throws(SystemError) -> Descriptor? {
        if let failure {
            self.failure = nil
            throw failure
        }
        return try listener.accept()
    }

    func endQueue() -> Bool { listener.endQueue() }
}

extension Limits {
    static func connections(_ count: Int) -> Limits {
        var limits = Limits()
        limits.connectionsPerUID = count
        return limits
    }
}
