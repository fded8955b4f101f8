import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The admin socket", .blocking)
struct AdminTests {
    @Test("status tells every token's state and never a value")
    func status() throws {
        let site = try Site { settings, _ in settings.addToken("later", options: Site.onDemand) }
        let token = try #require(try site.broker.fetch("web").text("access_token"))
        let status = try site.broker.status()
        #expect(status["pid"]?.number?.int64 == Int64(site.broker.process.pid))
        #expect(status["ready"] == true)
        #expect(status["configuration"]?["path"]?.string == site.scratch.path(BrokerProcess.configurationName))
        #expect(status["configuration"]?["last_error"] == .null)
        #expect(status["tokens"]?.array?.map { $0["state"]?.string } == ["idle", "ready"])
        #expect(try site.broker.status(of: "web")["mints"] == 1)
        let text = String(decoding: status.serialized(), as: UTF8.self)
        #expect(!text.contains(token))
        #expect(!text.contains(SimulatorProcess.secretKey))
    }

    @Test("readiness is red until every token that is kept ahead is there")
    func readiness() throws {
        let site = try Site { settings, simulator in
            settings.addToken("later", options: Site.onDemand)
            try simulator.behave(["status": 503])
        }
        #expect(try site.broker.admin(.get, "/healthz").status == 200)
        let red = try site.broker.admin(.get, "/readyz")
        #expect(red.status == 503)
        #expect(red.json == ["ready": false, "not_servable": ["web"]])
        try site.simulator.behaveNormally()
        try Deadline.until("readiness") { try site.broker.admin(.get, "/readyz").status == 200 }
        #expect(try site.broker.admin(.get, "/readyz").json == ["ready": true, "not_servable": []])
    }

    @Test("a refresh replaces the token")
    func refresh() throws {
        let site = try Site()
        let first = try site.broker.fetch("web")
        let refreshed = try site.broker.admin(.post, "/v1/tokens/web/refresh")
        #expect(refreshed.status == 200)
        #expect(refreshed.json["access_token"] == nil)
        let second = try site.broker.fetch("web")
        #expect(second.integer("generation") == refreshed.integer("generation"))
        #expect(second.text("access_token") != first.text("access_token"))
        #expect(try site.broker.admin(.post, "/v1/tokens/missing/refresh").code == "unknown_token")
    }

    @Test("a refresh that fails says why and costs nobody the token")
    func failedRefresh() throws {
        let site = try Site()
        let first = try site.broker.fetch("web")
        try site.simulator.behave(["status": 503])
        let refreshed = try site.broker.admin(.post, "/v1/tokens/web/refresh")
        #expect(refreshed.status == 503)
        #expect(refreshed.code == "provider_unavailable")
        let served = try site.broker.fetch("web")
        #expect(served.text("access_token") == first.text("access_token"))
        #expect(served.json["degraded"] == true)
        #expect(try site.broker.status(of: "web")["state"] == "degraded")
    }

    @Test("a token that was dropped is minted anew")
    func drop() throws {
        let site = try Site(Site.onDemand)
        let first = try site.broker.fetch("web")
        #expect(try site.broker.admin(.delete, "/v1/tokens/web").status == 200)
        #expect(try site.broker.status(of: "web")["state"] == "idle")
        let second = try site.broker.fetch("web")
        #expect(second.text("access_token") != first.text("access_token"))
        #expect(try #require(second.integer("generation")) > #require(first.integer("generation")))
        #expect(try site.broker.admin(.delete, "/v1/tokens/missing").code == "unknown_token")
    }

    @Test("what a web page may have sent is refused")
    func foreignRequests() throws {
        let site = try Site()
        func status(host: String, _ origins: String...) throws -> Int {
            try site.broker.admin(.get, "/v1/status", headers: origins.map { ("Origin", $0) }, host: host).status
        }
        #expect(try status(host: "localhost") == 200)
        #expect(try status(host: "localhost:8080") == 200)
        #expect(try status(host: "localhost", "http://localhost") == 200)
        for host in ["example.com", "localhost.example.com", "127.0.0.1", ""] {
            #expect(try status(host: host) == 403, "\(host)")
        }
        for origin in ["http://example.com", "https://localhost", "null", "http://localhost:1"] {
            #expect(try status(host: "localhost", origin) == 403, "\(origin)")
        }
        #expect(try status(host: "localhost", "http://localhost", "http://example.com") == 403)
        let answer = try site.broker.admin(.post, "/v1/reload", headers: [("Origin", "http://example.com")])
        #expect(answer.code == "not_permitted")
    }

    @Test("another method is refused, and Allow says which are taken")
    func methods() throws {
        let site = try Site()
        for (method, target, allowed) in [
            (HTTPMethod.post, "/v1/status", "GET, HEAD"), (.get, "/v1/reload", "POST"),
            (.get, "/v1/tokens/web", "DELETE"), (.get, "/v1/tokens/web/refresh", "POST"),
        ] {
            let answer = try site.broker.admin(method, target)
            #expect(answer.status == 405)
            #expect(answer.headers.values("Allow") == [allowed])
        }
        #expect(try site.broker.admin(.get, "/nothing").code == "not_found")
    }
}
