import Digests
import EventLoop
import Logging
import Synchronization
import TestSupport
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
    let journal = InMemoryJournal()
    let files = GivenSecrets()
    let keeper: SecretKeeper
    let auditStore: MemoryAuditStore?
    let audit: AuditRecorder
    let broker: Broker
    let store: InMemoryStore
    /// What was recorded, too.
    let recorded = MemoryAuditLog()
    let policies: DevicePolicies
    let verifications = HeldWork()
    let gate: DeviceGate
    let loop: EventLoop
    let servers: LocalServers
    let reloads = ScriptedReload()
    let directory: TemporaryDirectory

    init(
        _ definition: BrokerDefinition = .account([.open("web")]),
        operators: [AdminPrincipal] = [],
        observers: [AdminPrincipal] = [],
        mayHaveLost: Bool = false,
        hasStore: Bool = true
    ) throws {
        let (clock, reloads) = (clock, reloads)
        directory = try TemporaryDirectory()
        store = InMemoryStore(clock: clock)
        provider = FakeProvider(clock: clock)
        logger = Logger(level: .debug, output: log)
        auditStore = hasStore ? MemoryAuditStore() : nil
        audit = AuditRecorder(store: auditStore, clock: clock, logger: logger, alarmChanged: {})
        loop = try EventLoop(clock: { clock.now().boot.nanoseconds })
        keeper = SecretKeeper(
            definition,
            source: files,
            ports: SecretKeeper.Ports(
                clock: clock,
                journal: journal,
                // No digest, so that a test sees what of it is shown.
                fingerprint: { String(decoding: $0.withBytes { Array($0) }, as: UTF8.self) },
                observer: NoObserver(),
                audit: AuditPair(audit, recorded)
            ),
            seed: 1
        )
        keeper.inForce.fill(definition.secrets.values, from: files)
        broker = Broker(
            Broker.Supply(definition, with: provider, secrets: keeper.inForce),
            ports: Broker.Ports(clock: clock, observer: mints, alarmChanged: {}),
            seed: 1
        )
        let policies = DevicePolicies(definition, store: store) { _ in mayHaveLost }
        self.policies = policies
        gate = DeviceGate(
            DeviceGate.Ports(
                policy: policies,
                store: nil,
                clock: clock,
                audit: recorded,
                randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
                authenticationCode: { HMACSHA256.code(for: $0, key: $1) },
                perform: { [verifications] in verifications.perform($0) }
            ),
            verification: FakeVerification()
        )
        var facts = DaemonFacts.example
        facts.deviceObstacle = { policies.inForce.obstacle }
        servers = LocalServers(
            loop: loop,
            broker: broker,
            gate: gate,
            clock: clock,
            logger: logger,
            facts: facts,
            operators: operators,
            observers: observers,
            connectionsPerUID: definition.limits.connectionsPerUID,
            mints: mints,
            policies: policies,
            keeper: keeper,
            readSecret: Self.readSecret,
            audit: AuditPair(audit, recorded),
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

    /// Has the secrets' versions kept; without this, keys are as they were given.
    func beginSecrets() async {
        await keeper.begin()
        await keeper.attach(broker)
    }

    /// The daemon's rule, as far as tests look at it.
    static let readSecret: SecretReader = { (text) throws(SecretProblem) in
        let value = text.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        guard !value.isEmpty, value.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw SecretProblem(.malformed, "the value: is no key")
        }
        return Secret(value)
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

    /// A connection on which a caller who holds the token `web` waits five seconds for the next one.
    func parkedPoll() async throws -> Client {
        let client = try connect()
        let tag = try #require(try await exchange(client, "GET /v1/tokens/web").header("ETag"))
        client.send(message("GET /v1/tokens/web", ["If-None-Match: \(tag)", "Prefer: wait=5"]))
        try await until { waiters == 1 }
        return client
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
