import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The sockets' life", .blocking)
struct SocketLifeTests {
    @Test("the apps socket is open to everybody, the admin socket to its group")
    func modes() throws {
        let broker = try Site().broker
        for (path, type, mode) in [
            (broker.scratch.path("run"), S_IFDIR, 0o755), (broker.appsSocket, S_IFSOCK, 0o666),
            (broker.scratch.path("admin"), S_IFDIR, 0o750), (broker.adminSocket, S_IFSOCK, 0o660),
        ] as [(String, mode_t, mode_t)] {
            let status = try #require(Files.status(path), "\(path)")
            #expect(status.st_mode == type | mode, "\(path)")
            #expect(status.st_uid == geteuid())
        }
    }

    @Test(
        "the admin socket and its directory are of the first group that operators names",
        .enabled(if: Curl.isPossible, Comment(rawValue: Curl.reason))
    )
    func adminGroup() throws {
        let site = try Site { settings, _ in
            settings.operators = "[{ user: 47110 }, { group: 47130 }, { group: 47131 }]"
        }
        #expect(Files.status(site.broker.adminSocket)?.st_gid == 47_130)
        #expect(Files.status(site.scratch.path("admin"))?.st_gid == 47_130)
    }

    /// A broker that an ordinary user starts, in a directory of that user's.
    private func startOrdinary(_ scratch: Scratch, operators: String) throws -> RunningProcess {
        var settings = Settings(scratch)
        settings.operators = operators
        try scratch.write(BrokerProcess.configurationName, settings.text, mode: 0o644)
        guard chown(scratch.path, Self.user, Self.user) == 0 else { throw HarnessError.system("chown") }
        let identity = ["--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups", "--"]
        return try BrokerProcess.start(scratch, by: ["/usr/bin/setpriv"] + identity)
    }

    private static let user: uid_t = 47_110

    @Test(
        "started by an ordinary user, the admin socket is of that user's group where operators names none",
        .enabled(if: geteuid() == 0, "only root can become somebody else"),
        arguments: ["[]", "[{ user: 47110 }]", "[{ group: 47110 }]"]
    )
    func ordinaryUser(_ operators: String) throws {
        let scratch = try Scratch()
        let process = try startOrdinary(scratch, operators: operators)
        try process.errors.line(with: "notice Ready")
        for (path, mode) in [("admin", S_IFDIR | 0o750), ("admin/admin.sock", S_IFSOCK | 0o660)] {
            let status = try #require(Files.status(scratch.path(path)))
            #expect(status.st_mode == mode)
            #expect(status.st_uid == Self.user)
            #expect(status.st_gid == Self.user)
        }
        process.send(SIGTERM)
        #expect(try process.waitForEnd() == 0)
    }

    @Test(
        "started by an ordinary user, it ends and says why where operators names another group",
        .enabled(if: geteuid() == 0, "only root can become somebody else")
    )
    func foreignGroup() throws {
        let scratch = try Scratch()
        let process = try startOrdinary(scratch, operators: "[{ group: 47130 }]")
        #expect(try process.waitForEnd() == 70)
        #expect(Files.status(scratch.path("admin/admin.sock")) == nil)
        #expect(process.errors.text.contains("only root, or a member of the group, may give it to that group"))
    }

    @Test("a second instance ends with 75 and says why; the first goes on")
    func secondInstance() throws {
        let site = try Site()
        let second = try BrokerProcess.start(site.scratch)
        #expect(try second.waitForEnd() == 75)
        #expect(second.errors.text.contains("error another instance is alive"))
        #expect(second.errors.text.contains(site.broker.appsSocket))
        #expect(try site.broker.fetch("web").status == 200)
        #expect(try site.broker.admin(.get, "/healthz").status == 200)
    }

    @Test("a broker that was killed is started again at once, with a higher generation")
    func killed() throws {
        let site = try Site()
        let first = try site.broker.fetch("web")
        site.broker.process.send(SIGKILL)
        #expect(try site.broker.process.waitForEnd() == 128 + SIGKILL)
        #expect(Files.status(site.broker.appsSocket) != nil)
        let next = try BrokerProcess(site.scratch, site.settings.text)
        let second = try next.fetch("web")
        #expect(try #require(second.integer("generation")) > #require(first.integer("generation")))
    }

    @Test("a file that is no socket is left alone", arguments: ["run/apps.sock", "admin/admin.sock"])
    func otherFile(_ name: String) throws {
        let scratch = try Scratch()
        try scratch.makeDirectory("run")
        try scratch.makeDirectory("admin")
        let path = try scratch.write(name, "precious")
        try scratch.write(BrokerProcess.configurationName, Settings(scratch).text)
        let process = try BrokerProcess.start(scratch)
        #expect(try process.waitForEnd() == 70)
        #expect(process.errors.text.contains("error a socket cannot be opened"))
        #expect(process.errors.text.contains(path))
        #expect(try Files.text(path) == "precious")
    }

    @Test("SIGTERM tells callers that wait, ends with 0 and removes the sockets")
    func drain() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["hang": true]) }
        let callers = try (0..<50).map { _ in try site.broker.connect() }
        for caller in callers { try caller.send(HTTPClientRequest(.get, "/v1/tokens/web")) }
        try Deadline.until("all callers wait") { try site.broker.status(of: "web")["waiters"] == 50 }
        let idle = try site.broker.connect()
        #expect(try idle.exchange(.get, "/healthz").status == 200)

        site.broker.process.send(SIGTERM)
        for caller in callers {
            let answer = try caller.receive()
            #expect(answer.status == 503)
            #expect(answer.code == "shutting_down")
            #expect(answer.headers.values("Retry-After") == ["1"])
            #expect(!answer.keepsAlive)
        }
        #expect(try idle.receiveAll() == "")
        #expect(try site.broker.process.waitForEnd() == 0)
        #expect(site.broker.log.text.contains("notice Stopped"))
        #expect(Files.status(site.broker.appsSocket) == nil)
        #expect(Files.status(site.broker.adminSocket) == nil)
    }

    @Test("SIGINT ends it as well, within moments when nobody is there", arguments: [SIGINT, SIGTERM])
    func stop(_ signal: Int32) throws {
        let site = try Site()
        let start = ContinuousClock.now
        site.broker.process.send(signal)
        #expect(try site.broker.process.waitForEnd() == 0)
        #expect(ContinuousClock.now - start < .seconds(4))
    }
}
