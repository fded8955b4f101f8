import Glibc
import HTTPWire
import TestSupport
import Testing

@Suite("On the service manager's sockets", .blocking)
struct SocketActivationTests {
    private let scratch: Scratch
    private let sockets: PassedSockets
    private let settings: Settings

    init() throws {
        scratch = try Scratch()
        sockets = try PassedSockets(scratch)
        var settings = Settings(scratch)
        // Whom no grant names has only a few connections.
        try scratch.write("secret", SimulatorProcess.secretKey)
        settings.addSecret("key", file: "secret")
        settings.addProvider("autocomplete", "http://127.0.0.1:1")
        settings.addToken("web", options: Site.onDemand)
        self.settings = settings
    }

    private func start() throws -> BrokerProcess {
        try BrokerProcess(scratch, settings.text, on: sockets)
    }

    private func stop(_ broker: BrokerProcess) throws {
        broker.process.send(SIGTERM)
        #expect(try broker.process.waitForEnd() == 0)
    }

    @Test(
        "restarts lose not one request, be its connection new or kept",
        .enabled(if: Callers.isPossible, Comment(rawValue: Callers.reason))
    )
    func restarts() throws {
        var broker = try start()
        let callers = try Callers(broker.appsSocket, fresh: 16, kept: 8, patience: 0.1)
        for _ in 1...12 {
            try Deadline.stays("served", for: .milliseconds(50)) { try broker.get("/healthz").status == 200 }
            try stop(broker)
            broker = try start()
        }
        let tally = try callers.end()
        #expect(tally.lost == 0)
        #expect(tally.answered > 1000)
        #expect(tally.late * 20 < tally.answered)
    }

    @Test("who connects while no broker runs is served by the next one")
    func queue() throws {
        try stop(start())
        let early = try Connection(unix: scratch.path("run/apps.sock"))
        try early.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let silent = try Connection(unix: scratch.path("run/apps.sock"))
        try stop(start())
        #expect(try early.receive().status == 200)
        withExtendedLifetime(silent) {}
    }

    @Test("a socket that was passed under a name that it does not serve ends the start, and is named")
    func wrongName() throws {
        try scratch.write(BrokerProcess.configurationName, settings.text)
        let process = try RunningProcess(
            "tokenbrokerd",
            ["--config", scratch.path(BrokerProcess.configurationName)],
            by: PassedSockets.launcher,
            passing: sockets.descriptors,
            environment: ["LISTEN_FDS=2", "LISTEN_FDNAMES=apps:tokenbroker-admin.socket"]
        )
        #expect(try process.waitForEnd() == 70)
        #expect(process.errors.text.contains("tokenbroker-admin.socket"))
        #expect(process.errors.text.contains("FileDescriptorName="))
    }

    @Test("a client that has connected and says nothing holds up a stop for no more than a moment")
    func silent() throws {
        let broker = try start()
        let clients = try (0..<50).map { _ in try broker.connect() }
        _ = try broker.get("/healthz")
        let begin = ContinuousClock.now
        try stop(broker)
        #expect(ContinuousClock.now - begin < .seconds(4))
        for client in clients { #expect(try client.receiveAll() == "") }
    }
}
