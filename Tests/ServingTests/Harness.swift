import EventLoop
import Logging
import Synchronization
import Testing
import TokenBroker

@testable import Serving

/// Both sockets of a broker, its provider and its clocks, all in the hands of a test.
///
/// The loop runs in ``turn()`` alone, so that a test knows what happened before and after.
final class Harness {
    enum Socket: String {
        case apps
        case admin
    }

    let clock = ManualClock()
    let log = MemoryLogOutput()
    let logger: Logger
    let provider: FakeProvider
    let mints = MintCounters(passingOnTo: NoObserver())
    let auditStore: MemoryAuditStore?
    let audit: AuditRecorder
    let broker: Broker
    let loop: EventLoop
    let servers: LocalServers
    let reloads = ScriptedReload()
    let directory: TemporaryDirectory

    init(
        _ definition: BrokerDefinition = .account([.open("web")]),
        operators: [AdminPrincipal] = [],
        observers: [AdminPrincipal] = [],
        hasStore: Bool = true
    ) throws {
        let (clock, reloads) = (clock, reloads)
        directory = try TemporaryDirectory()
        provider = FakeProvider(clock: clock)
        logger = Logger(level: .debug, output: log)
        auditStore = hasStore ? MemoryAuditStore() : nil
        audit = AuditRecorder(store: auditStore, clock: clock, logger: logger, alarmChanged: {})
        loop = try EventLoop(clock: { clock.now().boot.nanoseconds })
        broker = Broker(
            Broker.Supply(definition, with: provider),
            ports: Broker.Ports(clock: clock, observer: mints, alarmChanged: {}),
            seed: 1
        )
        servers = LocalServers(
            loop: loop,
            broker: broker,
            clock: clock,
            logger: logger,
            facts: .example,
            operators: operators,
            observers: observers,
            connectionsPerUID: definition.limits.connectionsPerUID,
            mints: mints,
            audit: audit,
            auditTrail: hasStore ? audit : nil,
            reload: { reloads.begin($0) },
            onFailure: {}
        )
        let apps = try UnixListener(path: directory.file("apps"), mode: 0o600)
        let admin = try UnixListener(path: directory.file("admin"), mode: 0o600)
        servers.start(apps: apps, admin: admin) { result in
            guard case .success = result else { preconditionFailure("the sockets cannot be served") }
        }
        loop.runOnce(waiting: false)
    }

    deinit {
        broker.stop()
        provider.end()
        servers.drain {}
        loop.runOnce(waiting: false)
    }

    // MARK: Running

    /// Runs the loop once and lets mints go on.
    func turn() async {
        loop.runOnce(waiting: false)
        await Task.yield()
    }

    /// Runs the loop until something is so; that it never is fails the test.
    func until(_ isSo: () -> Bool, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let begin = ContinuousClock.now
        while !isSo() {
            await turn()
            let isLate = ContinuousClock.now - begin > .seconds(60)
            try #require(!isLate, "it did not happen", sourceLocation: sourceLocation)
        }
    }

    /// Runs the loop until all that was sent before is dealt with.
    func settle() async {
        for _ in 0..<4 { await turn() }
    }

    /// Lets time pass, for the loop too.
    func advance(by duration: Duration) async {
        clock.advance(by: duration)
        await settle()
    }

    // MARK: Clients

    func connect(_ socket: Socket = .apps) throws -> Client {
        try Client(connectingTo: directory.file(socket.rawValue))
    }

    /// The next answer on a connection.
    func answer(
        on client: Client,
        toHead: Bool = false,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var answer: Answer?
        try await until(
            {
                client.receive()
                answer = client.takeAnswer(toHead: toHead)
                return answer != nil
            },
            sourceLocation
        )
        return try #require(answer, sourceLocation: sourceLocation)
    }

    /// Sends a request such as `GET /healthz` on a connection and reads its answer.
    func exchange(
        _ client: Client,
        _ line: String,
        _ fields: [String] = [],
        body: String? = nil,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        client.send(message(line, fields, body: body))
        return try await answer(on: client, toHead: line.hasPrefix("HEAD "), sourceLocation)
    }

    /// The same on a connection of its own.
    func request(
        _ line: String,
        _ fields: [String] = [],
        body: String? = nil,
        on socket: Socket = .apps,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await exchange(connect(socket), line, fields, body: body, sourceLocation)
    }

    /// Whether the server has ended a connection, without an answer that was not taken.
    func ends(_ client: Client, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await until(
            {
                client.receive()
                return client.isEnded
            },
            sourceLocation
        )
        #expect(client.received.isEmpty, sourceLocation: sourceLocation)
    }

    /// Has the token `web` minted.
    func mintWeb(_ text: String = "at_v1_first", _ expiry: StatedExpiry = .after(.seconds(3600))) async throws {
        provider.give(.token(text, expiry))
        _ = try await request("GET /v1/tokens/web")
    }

    /// How many connections there are on both sockets.
    var connectionCount: Int { servers.apps.connections.count + servers.admin.connections.count }

    var waiters: Int { broker.status(of: "web")?.waiters ?? 0 }
}

/// A request's bytes.
func message(_ line: String, _ fields: [String] = [], body: String? = nil) -> String {
    var lines = ["\(line) HTTP/1.1"]
    if !fields.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: localhost") }
    lines += fields
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
}
