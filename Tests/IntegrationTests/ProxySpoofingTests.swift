import HTTPWire
import TestSupport
import Testing

@Suite("What an app's own headers do at a reverse proxy", .blocking, .with(.python))
struct ProxySpoofingTests {
    /// Every header that the broker may return for some kind of provider, and the one that names the user.
    private static let names = [
        "Authorization", "apikey", "X-App-Identifier", "X-App-Version", "X-End-User-ID", "X-Bundle-Id", "X-Device-Id",
        "X-Timestamp", "X-Nonce", "X-Signature", "X-User", "X-Rejected-Authorization",
    ]

    /// Caddy's file names what is copied, and is to be told.
    private static func edits(_ front: FrontProxy) -> [FrontProxy.Edit] {
        let line = "copy_headers Authorization\n"
        let change = "copy_headers Authorization X-End-User-Id X-App-Version\n"
        return front == .caddy ? [FrontProxy.Edit(line: line, change: change)] : []
    }

    @Test(
        "spoofed, doubled and empty headers do not get through",
        arguments: FrontProxy.allCases,
        [["spoofed"], ["spoofed", "spoofed"], [""], ["", "spoofed"], ["spoofed", ""]]
    )
    func spoofed(_ front: FrontProxy, _ values: [String]) throws {
        let site = try ProxySite(front, .echoWithUser, edits: Self.edits(front))
        for name in Self.names where name != "Authorization" {
            let answer = try site.exchange(.get, "/ai/\(name)", values.map { (name, $0) })
            // The app's version is its own to say, and the broker's to pass on.
            guard name != "X-App-Version" else { continue }
            expectHonest(answer, name)
        }
        let all = Self.names.filter { $0 != "Authorization" && $0 != "X-App-Version" }
        expectHonest(try site.exchange(.get, "/ai/all", all.flatMap { name in values.map { (name, $0) } }), "all")
    }

    private func expectHonest(_ answer: Answer, _ name: String) {
        let echo = answer.echo
        #expect(answer.status == 200, "\(name)")
        #expect(echo.values("Authorization").map { $0.hasPrefix("Bearer agw_") } == [true], "\(name)")
        #expect(echo.values("X-End-User-ID") == ["ann"], "\(name)")
        #expect(echo.values("X-App-Version").count == 1, "\(name)")
        #expect(!echo.allValues.contains { $0.isEmpty || $0.contains("spoofed") }, "\(name)")
    }

    @Test("what the broker does not return for a provider is gone all the same", arguments: FrontProxy.allCases)
    func unreturned(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let fields = Self.names.filter { $0 != "Authorization" }.map { ($0, "spoofed") }
        let answer = try site.exchange(.get, "/ai/x", fields)
        #expect(answer.status == 200)
        #expect(!answer.echo.allValues.contains { $0.isEmpty || $0.contains("spoofed") })
    }

    @Test("a second Authorization is refused or dropped", arguments: FrontProxy.allCases)
    func doubledAuthorization(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .echoWithUser, edits: Self.edits(front))
        let spoofed = ("Authorization", "Bearer spoofed")
        for headers in [
            [ProxySite.password, spoofed], [spoofed, ProxySite.password], [("Authorization", ""), ProxySite.password],
        ] {
            _ = try site.connect().exchange(.get, "/ai/x", headers: headers)
        }
        for request in site.echo.requests {
            #expect(request.values("Authorization").map { $0.hasPrefix("Bearer agw_") } == [true])
            #expect(request.values("X-End-User-ID") == ["ann"])
        }
    }

    @Test("the Connection header takes away nothing that the broker gave", arguments: FrontProxy.allCases)
    func connectionHeader(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .echoWithUser, edits: Self.edits(front))
        let connection = try site.connect()
        let head = [
            "GET /ai/x HTTP/1.1", "Host: localhost", "\(ProxySite.password.0): \(ProxySite.password.1)",
            "Connection: keep-alive, Authorization, X-End-User-ID, X-User, X-App-Version",
        ]
        try connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        expectHonest(try connection.receive(), "Connection")
    }

    @Test("names with underscores are not passed on", arguments: FrontProxy.allCases)
    func underscores(_ front: FrontProxy) throws {
        let site = try ProxySite(front, .echoWithUser, edits: Self.edits(front))
        let answer = try site.get("/ai/x", ("X_End_User_ID", "spoofed"), ("X_User", "spoofed"))
        expectHonest(answer, "underscores")
    }

    @Test("the token route's user is who the proxy says", arguments: FrontProxy.allCases)
    func tokenRouteUser(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        for values in [["eve"], ["eve", "eve"], [""]] {
            let answer = try site.exchange(.get, "/api/ac-token?end_user=eve", values.map { ("X-User", $0) })
            #expect(answer.status == 200)
            #expect(answer.text("end_user_id") == "ann")
        }
    }

    @Test("nobody outside can ask the broker for a credential", arguments: FrontProxy.allCases)
    func askingIsInternal(_ front: FrontProxy) throws {
        let site = try ProxySite(front)
        let targets = [
            "/_tokenbroker/credential", "/_tokenbroker/newer-credential", "/%5ftokenbroker/credential",
            "//_tokenbroker/credential", "/ai/../_tokenbroker/credential", "/v1/forward-auth/autocomplete-web",
            "/v1/tokens/roadie-user", "/routes/ac-token", "/elsewhere/_tokenbroker/credential",
            "/api/ac-token/../../v1/forward-auth/autocomplete-web", "/api/ac-token%2f..%2fx", "/ai/accel",
        ]
        for target in targets {
            let answer = try site.get(target)
            #expect(answer.headers.count(of: "Authorization") == 0, "\(target)")
            #expect(answer.text("access_token") == nil && answer.text("token") == nil, "\(target)")
            if front == .nginx, target.hasPrefix("/_tokenbroker") { #expect(answer.status == 404) }
            // The provider's own answer, and not what it told nginx to answer in its place.
            if target == "/ai/accel" { #expect(answer.echo.target == "/accel") }
        }
    }
}
