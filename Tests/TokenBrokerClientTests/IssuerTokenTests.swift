import HTTPWire
import JSON
import Synchronization
import Testing

@testable import TokenBrokerClient

@Suite("A user's issuer token")
struct IssuerTokenTests {
    /// An app with a user whose identity provider gives a new token when it must.
    private final class App: Sendable {
        private let asked = Mutex<[String]>([])

        /// What was asked of it, in order.
        var calls: [String] { asked.withLock { $0 } }

        func source(recovering: Bool = true) -> IssuerTokenSource {
            let recovery: IssuerTokenSource.Recovery = { self.note("recovery") }
            return IssuerTokenSource(onMissingClaims: recovering ? recovery : nil) { forceRefresh in
                self.note(forceRefresh ? "refresh" : "present")
                return "issued-\(self.calls.filter { $0 == "refresh" }.count)"
            }
        }

        private func note(_ call: String) {
            asked.withLock { $0.append(call) }
        }
    }

    private func refused(_ code: String) -> ScriptedTransport.Step {
        .problem(403, "provider_refused_user", ("provider_code", .string(code)))
    }

    private func sent(_ world: World) -> [JSONValue?] {
        world.broker.requests.map { $0.json["issuer_token"] }
    }

    @Test("goes along with the request, and says whose the answer is")
    func sent() async throws {
        let world = World(.token(1), .token(2))
        let app = App()
        for _ in 0..<2 {
            #expect(try await world.client.token(named: "web", issuerToken: app.source()).generation == 1)
        }
        let other = IssuerTokenSource { _ in "of another user" }
        #expect(try await world.client.token(named: "web", issuerToken: other).generation == 2)
        #expect(sent(world) == ["issued-0", "of another user"])
        #expect(world.broker.requests.allSatisfy { $0.method == .post && $0.target == "/v1/tokens/web" })
        #expect(app.calls == ["present", "present"])
    }

    @Test("is asked for anew, once, when it was rejected")
    func rejected() async throws {
        let world = World(refused("issuer_token_rejected"), .token(1))
        let app = App()
        #expect(try await world.client.token(named: "web", issuerToken: app.source()).generation == 1)
        #expect(app.calls == ["present", "refresh"])
        #expect(sent(world) == ["issued-0", "issued-1"])
        // The new token says whose it is from now on.
        let held = IssuerTokenSource { _ in "issued-1" }
        #expect(try await world.client.token(named: "web", issuerToken: held).generation == 1)
    }

    @Test("is asked for anew after the app's recovery, once, when claims were missing")
    func claims() async throws {
        let world = World(refused("issuer_claims_missing"), .token(1))
        let app = App()
        #expect(try await world.client.token(named: "web", issuerToken: app.source()).generation == 1)
        #expect(app.calls == ["present", "recovery", "refresh"])
    }

    @Test(
        "is never asked for twice, whatever comes after",
        arguments: ["issuer_token_rejected", "issuer_claims_missing"],
        ["issuer_token_rejected", "issuer_claims_missing"]
    )
    func once(_ first: String, _ second: String) async throws {
        let world = World(refused(first), refused(second))
        let app = App()
        let error = await failure { try await world.client.token(named: "web", issuerToken: app.source()) }
        #expect(error?.providerCode == second)
        let recovery = first == "issuer_claims_missing" ? ["recovery"] : []
        #expect(app.calls == ["present"] + recovery + ["refresh"])
    }

    @Test("is not asked for anew where another one would not help")
    func otherRefusals() async throws {
        for step in [
            refused("user_blocked"), .problem(403, "provider_refused_user"), .problem(503, "provider_unavailable"),
            refused("issuer_claims_missing"),
        ] {
            let world = World(step)
            let app = App()
            let source = app.source(recovering: false)
            #expect(await failure { try await world.client.token(named: "web", issuerToken: source) } != nil)
            #expect(app.calls == ["present"])
        }
    }

    @Test("what its source throws is thrown, and nothing is asked")
    func throwing() async throws {
        struct SignedOut: Error {}
        let world = World()
        let source = IssuerTokenSource { _ in throw SignedOut() }
        await #expect(throws: SignedOut.self) {
            try await world.client.token(named: "web", issuerToken: source)
        }
        #expect(world.broker.requests.isEmpty)
    }

    @Test("goes along with a report of a refused token, too, under the same rule")
    func rejection() async throws {
        let world = World(.token(1), refused("issuer_token_rejected"), .token(2))
        let app = App()
        let first = try await world.client.token(named: "web", issuerToken: app.source())
        #expect(try await world.client.rejected(first).generation == 2)
        #expect(sent(world) == ["issued-0", "issued-0", "issued-1"])
        #expect(world.broker.requests.last?.target == "/v1/tokens/web/rejected")
        #expect(app.calls == ["present", "present", "refresh"])
    }
}

@Suite("Authorizing a request")
struct AuthorizationTests {
    private static let headers: JSONValue = ["Authorization": "Bearer at_v1_7", "X-Signature": "5eal"]

    @Test("sends what is to be authorized, and brings every header")
    func headers() async throws {
        let world = World(.answer(.json(200, ["headers": Self.headers, "expires_at": 1_800_000_100])))
        let authorization = try await world.client.authorize(
            named: "chat",
            method: "POST",
            url: "/v1/chat?x=1",
            bodySHA256: [0x00, 0x0F, 0xA5],
            appVersion: "1.2",
            endUser: EndUser(id: "ann")
        )
        #expect(authorization.headers == ["Authorization": "Bearer at_v1_7", "X-Signature": "5eal"])
        #expect(authorization.expiresAt?.seconds == 1_800_000_100)
        let request = try #require(world.broker.requests.first)
        #expect(request.method == .post)
        #expect(request.target == "/v1/authorize/chat")
        #expect(
            request.json == [
                "end_user": ["id": "ann"], "method": "POST", "url": "/v1/chat?x=1", "body_sha256": "000fa5",
                "app_version": "1.2",
            ]
        )
    }

    @Test("asks each time, for a signature is for one request")
    func eachTime() async throws {
        let answer = ScriptedTransport.Step.answer(.json(200, ["headers": Self.headers, "expires_at": nil]))
        let world = World(answer, answer)
        for _ in 0..<2 {
            let authorization = try await world.client.authorize(named: "chat", method: "GET", url: "/")
            #expect(authorization.expiresAt == nil)
        }
        #expect(world.broker.requests.map(\.json) == Array(repeating: ["method": "GET", "url": "/"], count: 2))
    }

    @Test("asks the app's user for a new issuer token under the same rule")
    func issuerToken() async throws {
        let world = World(
            .problem(403, "provider_refused_user", ("provider_code", "issuer_token_rejected")),
            .answer(.json(200, ["headers": Self.headers, "expires_at": nil]))
        )
        let source = IssuerTokenSource { $0 ? "new" : "old" }
        _ = try await world.client.authorize(named: "chat", method: "GET", url: "/", issuerToken: source)
        #expect(world.broker.requests.map { $0.json["issuer_token"] } == ["old", "new"])
    }

    @Test("prints without the values")
    func redaction() async throws {
        let world = World(.answer(.json(200, ["headers": Self.headers, "expires_at": nil])))
        let authorization = try await world.client.authorize(named: "chat", method: "GET", url: "/")
        var dumped = ""
        dump(authorization, to: &dumped)
        for text in ["\(authorization)", String(reflecting: authorization), dumped] {
            #expect(text.contains("X-Signature"))
            #expect(!text.contains("at_v1_7") && !text.contains("5eal"))
        }
    }

    @Test("says so when what comes is no authorization", arguments: ["{}", #"{"headers":{"A":1}}"#, "x"])
    func unreadable(_ body: String) async {
        let world = World(.answer(.answer(200, body)))
        let error = await failure { try await world.client.authorize(named: "chat", method: "GET", url: "/") }
        #expect(error?.code == .unreadable)
    }
}
