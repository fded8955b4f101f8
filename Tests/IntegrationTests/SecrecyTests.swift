import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("What stays secret", .blocking)
struct SecrecyTests {
    /// Of no shape that the log's own filter knows: what is absent from the log was never written to it.
    private static let secret = "canary.secret.59e1c7"
    private static let token = "canary.token.b83d02"

    @Test("no key and no token is in the log, whatever happens, even at the level trace")
    func log() throws {
        let minted = "{\"access_token\": \"\(Self.token)\", \"token_type\": \"Bearer\"}"
        // The simulator does not know this key; it plays the provider that does.
        let behaviours: [JSONValue] = [
            ["status": 200, "body": .string(minted)],
            ["status": 401], ["status": 401, "body": .string("{\"error\": {\"code\": \"\(Self.secret)\"}}")],
            ["status": 429, "body": .string(Self.secret), "retry_after": .string(Self.token)],
            ["status": 500, "body": .string(Self.token)], ["status": 200, "body": .string(minted + minted)],
            ["status": 200, "body": .string(minted), "body_form": "truncated"],
            ["status": 200, "body": .string(minted), "body_form": "non_utf8"],
            ["status": 302, "location": .string("http://127.0.0.1/\(Self.secret)")], ["body_form": "html"],
            ["close_after_bytes": 60], ["status": 404, "body": .string("{\"error\": {\"code\": \"\(Self.secret)\"}}")],
        ]
        let site = try Site { settings, simulator in
            settings = Settings(settings.scratch)
            settings.level = "trace"
            settings.addSecret("key", file: "secret")
            try settings.scratch.write("secret", Self.secret)
            // An account each, so that no failure stands in for the next one.
            for index in behaviours.indices {
                settings.addProvider("account-\(index)", simulator.baseURL)
                settings.addToken("token-\(index)", provider: "account-\(index)", options: Site.onDemand)
            }
        }
        for (index, behaviour) in behaviours.enumerated() {
            try site.simulator.behaveNormally()
            try site.simulator.behave(behaviour)
            let answer = try site.broker.fetch("token-\(index)")
            #expect((answer.text("access_token") == Self.token) == (index == 0))
            if index > 0 { #expect(answer.status >= 500) }
        }
        // As mistakes of callers, too.
        for target in ["/v1/tokens/\(Self.secret)-", "/\(Self.secret)", "/v1/tokens/token-0?min_ttl=\(Self.secret)"] {
            _ = try site.broker.get(target)
        }
        _ = try site.broker.admin(.get, "/v1/status", headers: [("Origin", Self.secret)])
        var settings = site.settings
        settings.extra = ["store: { path: /var/lib/x, key: \(Self.secret) }"]
        try site.broker.rewrite(settings.text)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 422)
        site.broker.process.send(SIGTERM)
        #expect(try site.broker.process.waitForEnd() == 0)

        let text = site.broker.log.text
        #expect(text.contains("Mint failed"))
        #expect(text.contains("Token minted"))
        let leaks = site.broker.log.lines.filter { $0.contains(Self.secret) || $0.contains(Self.token) }
        // A name that a caller asked for is what the caller wrote, and is logged to be found.
        #expect(leaks.filter { !$0.contains("Token denied") } == [])
    }

    @Test("neither the daemon's arguments nor its environment hold a key or a token, and only root can read the latter")
    func process() throws {
        let site = try Site()
        let token = try #require(try site.broker.fetch("web").text("access_token"))
        #expect(Files.status("/proc/\(site.broker.process.pid)/environ")?.st_uid == 0)
        for file in geteuid() == 0 ? ["cmdline", "environ"] : ["cmdline"] {
            let text = try Files.text("/proc/\(site.broker.process.pid)/\(file)")
            #expect(!text.isEmpty)
            #expect(!text.contains(token))
            #expect(!text.contains(SimulatorProcess.secretKey))
        }
    }

    @Test("the daemon leaves no core")
    func cores() throws {
        let site = try Site()
        let limits = try Files.text("/proc/\(site.broker.process.pid)/limits")
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").suffix(3) == ["0", "0", "bytes"])
        let status = try Files.text("/proc/\(site.broker.process.pid)/status")
        #expect(status.contains("NoNewPrivs:\t1"))
    }

    @Test(
        "a daemon that became another user cannot be read by that user",
        .enabled(if: Curl.isPossible && getpwnam("nobody") != nil, "needs root, curl and a user nobody")
    )
    func dumpable() throws {
        let nobody = try #require(getpwnam("nobody")).pointee
        let scratch = try Scratch()
        let simulator = try SimulatorProcess(scratch)
        var settings = try Settings(scratch, simulator)
        #expect(chown(scratch.path("secret"), nobody.pw_uid, nobody.pw_gid) == 0)
        settings.extra = ["run_as: nobody"]
        let broker = try BrokerProcess(scratch, settings.text)
        #expect(try broker.fetch("web").status == 200)

        let directory = "/proc/\(broker.process.pid)"
        let status = try Files.text("\(directory)/status")
        let user = String(nobody.pw_uid)
        #expect(status.contains("Uid:\t\(user)\t\(user)\t\(user)\t\(user)\n"))
        #expect(status.contains("CapEff:\t0000000000000000\n"))
        // The kernel gives the files of a process that may not be dumped to root.
        #expect(Files.status("\(directory)/environ")?.st_uid == 0)
        let reader = try RunningProcess(
            "/bin/cat",
            ["\(directory)/environ"],
            as: Identity(user: nobody.pw_uid, group: nobody.pw_gid)
        )
        #expect(try reader.waitForEnd() == 1)
    }

    @Test(
        "root is warned of once",
        .enabled(if: geteuid() == 0, "only root can see it")
    )
    func root() throws {
        let site = try Site()
        #expect(site.broker.log.lines.filter { $0.contains("Running as root") }.count == 1)
    }
}
