import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Behind a reverse proxy, with the files shipped for it", .blocking, .with(.python))
struct ProxyTests {
    // MARK: The token route

    @Test(
        "an app gets its own user's token, and another one for the one that was refused",
        arguments: FrontProxy.allCases
    )
    func tokenRoute(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let first = try site.get("/api/ac-token?x=1")
        #expect(first.status == 200)
        #expect(first.text("end_user_id") == "ann")
        #expect(first.headers.values("Cache-Control") == ["no-store"])
        let token = try #require(first.text("token"))
        let body: JSONValue = ["access_token": .string(token)]
        let second = try site.exchange(
            .post,
            "/api/ac-token/rejected",
            [("Content-Type", "application/json")],
            body: body.serialized()
        )
        #expect(second.status == 200)
        #expect(second.text("end_user_id") == "ann")
        #expect(second.text("token") != token)
        // Caddy answers an empty 200 where it has nothing.
        #expect(try site.get("/api/ac-token/other").body.isEmpty || front == .nginx)
    }

    @Test("a stranger gets neither a token nor to the provider", arguments: FrontProxy.allCases)
    func strangers(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        for target in ["/api/ac-token", "/ai/x"] {
            #expect(try site.connect().exchange(.get, target).status == 401)
            let bearer = ("Authorization", "Bearer ann")
            #expect(try site.connect().exchange(.get, target, headers: [bearer]).status == 401)
        }
        #expect(site.echo.requests.isEmpty)
    }

    // MARK: The data route

    @Test(
        "the provider gets the app's request with the credential, and nobody's password",
        arguments: FrontProxy.allCases
    )
    func dataRoute(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let answer = try site.exchange(
            .put,
            "/ai/v1/a%2Fb?q=1&r=%20",
            [("Content-Type", "text/plain"), ("X-Own", "kept"), ("Cookie", "session=1")],
            body: Array("hello".utf8)
        )
        #expect(answer.status == 200)
        let echo = answer.echo
        #expect(echo.method == "PUT")
        #expect(echo.target == "/v1/a%2Fb?q=1&r=%20")
        #expect(echo.length == 5)
        #expect(echo.values("Authorization").count == 1)
        #expect(echo.values("Authorization").first?.hasPrefix("Bearer at_v1_") == true)
        #expect(echo.values("Content-Type") == ["text/plain"])
        #expect(echo.values("X-Own") == ["kept"])
        #expect(echo.values("Cookie").isEmpty)
        #expect(!"\(answer.headers)".contains("at_v1_"))
    }

    @Test("a token from the broker works at the provider, over TLS", arguments: FrontProxy.allCases)
    func realProvider(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .simulator)
        #expect(try suggest(site).status == 200)
    }

    @Test("the provider's certificate is checked", arguments: FrontProxy.allCases)
    func certificate(_ front: FrontProxy) throws {
        // Made before the proxy's own, and so another authority.
        let other = try Scratch()
        let stranger = try SimulatorProcess(other)
        let site = try ProxySite(front, .simulator, authority: stranger.authority)
        #expect(try suggest(site).status == 502)
        #expect(try site.simulator.requests() == 1)
    }

    @Test("a path that would leave the provider's base path goes nowhere", arguments: FrontProxy.allCases)
    func traversal(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let targets = [
            "/ai/../x", "/ai/../ai/../x", "/ai/%2e%2e/x", "/ai/%2E%2e/ai/x", "/ai/a%2f..%2f..%2fx", "/x/../ai/../x",
        ]
        for target in targets { #expect(try site.get(target).status != 500, "\(target)") }
        let seen = site.echo.requests.compactMap(\.target)
        #expect(!seen.contains { $0.contains("..") || $0.lowercased().contains("%2e") }, "\(seen)")
    }

    @Test("2 MB go up whole, with a length and in chunks", arguments: FrontProxy.allCases)
    func upload(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let plain = try site.exchange(.post, "/ai/up", body: body)
        #expect(plain.status == 200)
        #expect(plain.echo.length == 2_000_000)
        let connection = try site.connect()
        let head = [
            "POST /ai/up HTTP/1.1", "Host: localhost", "\(ProxySite.password.0): \(ProxySite.password.1)",
            "Transfer-Encoding: chunked",
        ]
        try connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        try connection.send("1e8480\r\n")
        try connection.send(body)
        try connection.send("\r\n0\r\n\r\n")
        let chunked = try connection.receive()
        #expect(chunked.echo.length == 2_000_000)
        #expect(chunked.echo.sha256 == plain.echo.sha256)
    }

    @Test(
        "each part of an answer arrives when it is sent",
        arguments: FrontProxy.allCases,
        ["text/event-stream", "application/x-ndjson"]
    )
    func events(_ front: FrontProxy, _ type: String) throws {
        let site = try ProxySite(front)
        let connection = try site.connect()
        let password = try HeaderField(ProxySite.password.0, ProxySite.password.1)
        try connection.send(
            HTTPClientRequest(.get, "/ai/events?\(type)", host: "localhost", headers: [password])
        )
        var text = ""
        while !text.contains("first") { text += try connection.receiveSome() }
        #expect(!text.contains("second"))
        try site.echo.go()
        while !text.contains("second") { text += try connection.receiveSome() }
    }

    /// The files are made for answers that take minutes; so long a test is for a run of its own, with
    /// `SLOW_ANSWER_SECONDS=90`.
    @Test("an answer may take its time", arguments: FrontProxy.allCases)
    func slowAnswer(_ front: FrontProxy) throws {
        let seconds = getenv("SLOW_ANSWER_SECONDS").flatMap { Int(String(cString: $0)) } ?? 1
        let site = try ProxySite(front)
        let connection = try site.connect()
        let password = try HeaderField(ProxySite.password.0, ProxySite.password.1)
        try connection.send(
            HTTPClientRequest(.get, "/ai/slow?\(seconds)", host: "localhost", headers: [password])
        )
        #expect(try connection.receive(patience: Deadline.usual + .seconds(seconds)).status == 200)
    }

    // MARK: What goes wrong

    @Test("a revoked token is replaced at once", arguments: FrontProxy.allCases)
    func revokedToken(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .simulator)
        #expect(try suggest(site).status == 200)
        try site.simulator.revokeTokens()
        let answer = try suggest(site)
        switch front {
        case .nginx: #expect(answer.status == 200)
        case .caddy:
            // It keeps no body to send again, and says so.
            #expect(answer.status == 503)
            #expect(answer.headers.values("Retry-After") == ["0"])
            #expect(try suggest(site).status == 200)
        }
        #expect(try site.simulator.mints() == 2)
    }

    @Test("a request without a body is sent again with the newer credential", arguments: FrontProxy.allCases)
    func sentAgain(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let answer = try site.get("/ai/jealous", ("X-Rejected-Authorization", "Bearer at_v1_other"))
        #expect(answer.status == 200)
        let credentials = site.echo.requests.map { $0.values("Authorization") }
        #expect(credentials.count == 2)
        #expect(Set(credentials).count == 2)
        #expect(site.echo.requests.allSatisfy { $0.values("X-Rejected-Authorization").isEmpty })
    }

    @Test("what the provider refuses twice goes to the app as it is", arguments: FrontProxy.allCases)
    func refusedTwice(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let answer = try site.get("/ai/status?401")
        #expect(answer.status == 401)
        #expect(answer.echo.target == "/status?401")
        #expect(site.echo.requests.count == 2)
    }

    @Test("where the credential is a key that works the app is told of a refusal", arguments: FrontProxy.allCases)
    func keyRefused(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .echoWithUser)
        let answer = try site.get("/ai/status?401")
        switch front {
        case .nginx: #expect(answer.status == 401)
        case .caddy:
            #expect(answer.status == 403)
            #expect(answer.code == "token_not_stale")
        }
        #expect(answer.headers.values("Content-Type") == ["application/problem+json"])
        #expect(site.echo.requests.count == 1)
        // What the provider forbids is not taken for the broker's word.
        let forbidden = try site.get("/ai/status?403")
        #expect(forbidden.status == 403)
        #expect(forbidden.echo.target == "/status?403")
    }

    @Test("another fault of the provider goes to the app as it is, once", arguments: FrontProxy.allCases)
    func providerFault(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        for status in [403, 429, 500, 503] {
            let answer = try site.get("/ai/status?\(status)")
            #expect(answer.status == status)
            #expect(answer.echo.target == "/status?\(status)")
        }
        #expect(site.echo.requests.count == 4)
    }

    @Test("where the broker has no credential the app is told when to come back", arguments: FrontProxy.allCases)
    func noCredential(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        try site.simulator.behave(["status": 503, "retry_after": "7"])
        #expect(try site.broker.admin(.delete, "/v1/tokens/autocomplete-web").status == 200)
        let answer = try site.get("/ai/x")
        #expect(answer.status == 503)
        #expect(answer.headers.values("Retry-After") == ["7"])
        #expect(answer.json["retry_after"]?.number?.int64 == 7)
        #expect(site.echo.requests.isEmpty)
    }

    private func suggest(_ site: ProxySite) throws -> Answer {
        try site.exchange(
            .post,
            "/ai/ai-autocomplete/api/suggest",
            [("Content-Type", "application/json")],
            body: SimulatorProcess.suggestion
        )
    }
}
