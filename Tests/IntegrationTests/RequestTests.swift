import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Asking for a token", .blocking)
struct RequestTests {
    @Test("min_ttl gets a token with that much left", arguments: [HTTPMethod.get, .post])
    func minimumLifetime(_ method: HTTPMethod) throws {
        let site = try Site(lifetime: 60)
        let first = try site.broker.fetch("web")
        func ask(_ seconds: Int64) throws -> Answer {
            let body: JSONValue = ["min_ttl": .number(JSONNumber(seconds))]
            return method == .get
                ? try site.broker.fetch("web?min_ttl=\(seconds)")
                : try site.broker.connect().exchange(.post, "/v1/tokens/web", body: body.serialized())
        }
        #expect(try ask(30).integer("generation") == first.integer("generation"))
        // One second from now the token has less left than this.
        let fresh = try Deadline.poll("another generation") { () -> Answer? in
            let answer = try ask(59)
            return answer.integer("generation") == first.integer("generation") ? nil : answer
        }
        #expect(fresh.text("access_token") != first.text("access_token"))
        #expect(try site.simulator.mints() == 2)
    }

    @Test("a min_ttl beyond what the provider gives is met by what there is")
    func minimumOutOfReach() throws {
        let site = try Site(lifetime: 60)
        let first = try site.broker.fetch("web")
        let answer = try site.broker.fetch("web?min_ttl=2592000")
        #expect(answer.status == 200)
        #expect(answer.integer("generation") == first.integer("generation"))
        #expect(try site.simulator.mints() == 1)
    }

    @Test("what a query does not mean is refused, and nothing is minted")
    func badQueries() throws {
        let site = try Site(Site.onDemand)
        for query in [
            "min_ttl=-1", "min_ttl=1.5", "min_ttl=abc", "min_ttl=", "min_ttl", "min_ttl=2592001", "min_ttl=1e3",
            "min_ttl=+1", "min_ttl=99999999999999999999", "min_ttl=1&min_ttl=1", "min_ttl=%zz", "minttl=1",
            "end_user=alice",
        ] {
            let answer = try site.broker.fetch("web?\(query)")
            #expect(answer.status == 400, "\(query)")
            #expect(answer.code == "invalid_request", "\(query)")
        }
        #expect(try site.simulator.requests() == 0)
    }

    @Test("what a body does not mean is refused, and nothing is minted")
    func badBodies() throws {
        let site = try Site(Site.onDemand)
        for body in [
            "{", "[]", "60", "null", "{\"min_ttl\":\"60\"}", "{\"min_ttl\":-1}", "{\"min_ttl\":1.5}",
            "{\"min_ttl\":1e400}", "{\"min_ttl\":null}", "{\"min_ttl\":1,\"min_ttl\":1}", "{\"min_ttl\":2592001}",
            "{\"ttl\":1}", "{\"end_user\":{\"id\":\"alice\"}}", "{\"min_ttl\":1} x", "\u{0}",
        ] {
            let answer = try site.broker.connect().exchange(.post, "/v1/tokens/web", body: Array(body.utf8))
            #expect(answer.status == 400, "\(body)")
            #expect(answer.code == "invalid_request", "\(body)")
        }
        #expect(try site.simulator.requests() == 0)
    }

    @Test("a POST without a body asks for nothing special")
    func emptyBody() throws {
        let site = try Site()
        #expect(try site.broker.connect().exchange(.post, "/v1/tokens/web").status == 200)
    }

    @Test("who does not want to wait is told so at once, and the mint goes on")
    func noWait() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 2000]) }
        let answer = try site.broker.fetch("web", ("Prefer", "wait=0"))
        #expect(answer.status == 504)
        #expect(answer.code == "deadline_exceeded")
        #expect(answer.headers.values("Retry-After") == ["1"])
        #expect(try site.simulator.mints() == 0)
        #expect(try site.broker.fetch("web", ("Prefer", "wait=20")).status == 200)
        #expect(try site.broker.fetch("web", ("Prefer", "wait=0")).status == 200)
        #expect(try site.simulator.requests() == 1)
    }

    @Test("who waits one second waits no longer")
    func shortWait() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["hang": true]) }
        let start = ContinuousClock.now
        let answer = try site.broker.fetch("web", ("Prefer", "respond-async, wait=1"))
        #expect(answer.code == "deadline_exceeded")
        #expect((.seconds(1)..<(.seconds(9))).contains(ContinuousClock.now - start))
    }

    @Test("HEAD answers the same fields and no body")
    func head() throws {
        let site = try Site()
        let connection = try site.broker.connect()
        let get = try connection.exchange(.get, "/v1/tokens/web")
        let head = try connection.exchange(.head, "/v1/tokens/web")
        #expect(head.status == 200)
        #expect(head.headers.values("ETag") == get.headers.values("ETag"))
        #expect(head.headers.values("Content-Length") == [String(get.body.count)])
        #expect(head.body.isEmpty)
        // Had there been a body, the next answer would not be one.
        #expect(try connection.exchange(.get, "/healthz").status == 200)
    }

    @Test("a token that is not there and one that is not for the caller look alike; the log knows which")
    func unknownToken() throws {
        let site = try Site { settings, _ in settings.addToken("others", allow: "{ user: 47110 }") }
        let unknown = try site.broker.fetch("missing")
        let denied = try site.broker.fetch("others")
        #expect(unknown.status == 404)
        #expect(unknown.code == "unknown_token")
        #expect(denied.status == 404)
        #expect(denied.body == unknown.body)
        #expect(denied.headers.map(\.name) == unknown.headers.map(\.name))
        try site.broker.log.line(with: "Token denied", "token=missing", #"reason="no such token""#)
        try site.broker.log.line(with: "Token denied", "token=others", "not allowed: another user")
        // Nor does a bad parameter tell them apart.
        #expect(try site.broker.fetch("others?min_ttl=x").body == unknown.body)
        #expect(try site.broker.fetch("missing?min_ttl=x").body == unknown.body)
    }

    @Test("another method is refused, and Allow says which are taken")
    func methods() throws {
        let site = try Site(Site.onDemand)
        for (target, methods, allowed) in [
            ("/v1/tokens/web", ["PUT", "DELETE", "PATCH", "get"], "GET, HEAD, POST"),
            ("/v1/tokens", ["POST", "PUT"], "GET, HEAD"), ("/v1/whoami", ["POST"], "GET, HEAD"),
            ("/healthz", ["DELETE"], "GET, HEAD"),
        ] {
            for method in methods {
                let answer = try site.broker.connect().exchange(HTTPMethod(method), target)
                #expect(answer.status == 405, "\(method) \(target)")
                #expect(answer.code == "method_not_allowed")
                #expect(answer.headers.values("Allow") == [allowed])
            }
        }
        #expect(try site.simulator.requests() == 0)
    }

    @Test("a path is compared byte by byte")
    func paths() throws {
        let site = try Site()
        for path in [
            "/", "/v1", "/v1/", "/V1/tokens", "/v1/tokens/", "/v1//tokens/web", "/v1/tokens//web", "/v1/tokens/web/",
            "/v1/tokens/../tokens/web", "/v1/./tokens/web", "/v1/tokens/%77eb", "/v1/tokens%2Fweb", "/v1/tokens/..",
            "/v1/tokens\\web", "/v1/tokens/web/refresh", "/v1/status", "/v1/reload", "/metrics",
        ] {
            let answer = try site.broker.get(path)
            #expect(answer.status == 404, "\(path)")
            #expect(answer.code == "not_found", "\(path)")
        }
        #expect(try site.broker.fetch("WEB").code == "unknown_token")
    }

    @Test("an error is a problem document with a stable code")
    func problems() throws {
        let site = try Site()
        let answer = try site.broker.fetch("missing")
        #expect(answer.headers.values("Content-Type") == ["application/problem+json"])
        #expect(answer.headers.values("Cache-Control") == ["no-store"])
        #expect(answer.text("type") == "about:blank")
        #expect(answer.text("title") == "unknown token")
        #expect(answer.integer("status") == 404)
        #expect(answer.text("code") == "unknown_token")
        #expect(try #require(answer.text("detail")).isEmpty == false)
        #expect(answer.json["retry_after"] == nil)
    }
}
