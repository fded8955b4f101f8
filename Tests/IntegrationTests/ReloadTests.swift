import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Reloading the configuration", .blocking)
struct ReloadTests {
    @Test("SIGHUP takes a new file, and tokens that did not change stay")
    func valid() throws {
        let site = try Site()
        let before = try site.broker.fetch("web")
        var settings = site.settings
        settings.addToken("added")
        try site.broker.rewrite(settings.text)
        site.broker.process.send(SIGHUP)
        try site.broker.log.line(with: "notice Configuration reloaded", "count=2")
        #expect(try site.broker.fetch("added").status == 200)
        #expect(try site.broker.fetch("web").integer("generation") == before.integer("generation"))
    }

    @Test("SIGHUP with a file that is wrong changes nothing, and status says why")
    func invalid() throws {
        let site = try Site()
        let before = try site.broker.fetch("web")
        var settings = site.settings
        settings.addToken("added", options: "refesh: ahead")
        try site.broker.rewrite(settings.text)
        site.broker.process.send(SIGHUP)
        let line = try site.broker.log.line(with: "error the configuration was not taken")
        #expect(line.contains("refesh"))
        #expect(line.contains("refresh"))
        let error = try Deadline.poll("the error in status") {
            try site.broker.status()["configuration"]?["last_error"]?.string
        }
        #expect(error.contains("\(BrokerProcess.configurationName):"))
        #expect(try site.broker.fetch("added").code == "unknown_token")
        #expect(try site.broker.fetch("web").integer("generation") == before.integer("generation"))

        try site.broker.rewrite(site.settings.text)
        site.broker.process.send(SIGHUP)
        try site.broker.log.line(with: "Configuration reloaded")
        try Deadline.until("no error") { try site.broker.status()["configuration"]?["last_error"] == .null }
    }

    @Test("POST /v1/reload answers how it went")
    func admin() throws {
        let site = try Site()
        var settings = site.settings
        settings.addToken("added")
        try site.broker.rewrite(settings.text)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try site.broker.fetch("added").status == 200)

        settings.addToken("broken", provider: "nowhere")
        settings.extra = ["nonsense: 1"]
        try site.broker.rewrite(settings.text)
        let answer = try site.broker.admin(.post, "/v1/reload")
        #expect(answer.status == 422)
        #expect(answer.code == "configuration_invalid")
        let errors = try #require(answer.json["errors"]?.array).compactMap(\.string)
        #expect(errors.count == 2)
        #expect(errors.contains { $0.contains("nonsense") && $0.contains(#/tokenbroker\.yaml:\d+:\d+: /#) })
        #expect(errors.contains { $0.contains("nowhere") && $0.contains(#/tokenbroker\.yaml:\d+:\d+: /#) })
        #expect(try site.broker.fetch("added").status == 200)
    }

    @Test("other sockets are refused whole, naming the keys")
    func listen() throws {
        let site = try Site()
        var settings = site.settings
        settings.apps = "run/other.sock"
        settings.addToken("added")
        try site.broker.rewrite(settings.text)
        let answer = try site.broker.admin(.post, "/v1/reload")
        #expect(answer.status == 422)
        let errors = try #require(answer.json["errors"]?.array).compactMap(\.string)
        #expect(errors.count == 1)
        #expect(errors.first?.contains("listen.apps") == true)
        #expect(try site.broker.fetch("added").code == "unknown_token")
        #expect(Files.status(site.scratch.path("run/other.sock")) == nil)
    }

    @Test("a token that is taken away is gone, also for who waits for it")
    func removal() throws {
        let site = try Site { settings, _ in
            settings.addToken("doomed", options: Site.onDemand)
        }
        #expect(try site.broker.fetch("doomed").status == 200)
        _ = try site.broker.admin(.delete, "/v1/tokens/doomed")
        try site.simulator.behave(["hang": true])
        let caller = try site.broker.connect()
        try caller.send("GET /v1/tokens/doomed HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try Deadline.until("the caller waits") { try site.broker.status(of: "doomed")["waiters"] == 1 }
        var settings = try Settings(site.scratch, site.simulator)
        settings.level = "debug"
        try site.broker.rewrite(settings.text)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try caller.receive().code == "unknown_token")
        #expect(try site.broker.fetch("doomed").code == "unknown_token")
        #expect(try site.broker.fetch("web").status == 200)
    }

    @Test("callers notice nothing of reloads")
    func underLoad() throws {
        let site = try Site()
        let callers = try (0..<20).map { _ in try site.broker.connect() }
        let request = try HTTPClientRequest(.get, "/v1/tokens/web")
        var generations: Set<Int64?> = []
        for index in 0..<20 {
            var settings = site.settings
            settings.addToken("added-\(index)")
            try site.broker.rewrite(settings.text)
            site.broker.process.send(SIGHUP)
            for caller in callers { try caller.send(request) }
            for caller in callers { generations.insert(try caller.receive().integer("generation")) }
        }
        #expect(generations.count == 1)
        #expect(!generations.contains(nil))
        try Deadline.until("the last reload") { try site.broker.fetch("added-19").status == 200 }
    }

    @Test("a grant that is taken away holds from then on")
    func grants() throws {
        let site = try Site()
        #expect(try site.broker.fetch("web").status == 200)
        let text = site.settings.text.replacing("allow: [{ user: \(geteuid()) }]", with: "allow: [{ user: 47110 }]")
        try site.broker.rewrite(text)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try site.broker.fetch("web").code == "unknown_token")
    }
}
