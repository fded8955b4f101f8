import Foundation
import Glibc
import HTTPWire
import JSON
import Synchronization
import TestSupport
import Testing
import TokenBrokerClient

@Suite("A Swift program with users of its own", .blocking)
struct SwiftClientUserTests {
    /// A broker with an application of App AI Gateway whose users have issuer tokens.
    private struct Gateway {
        static let app = "example-issuer-a1b2c3"

        let scratch: Scratch
        let simulator: SimulatorProcess
        let broker: BrokerProcess

        init() throws {
            scratch = try Scratch()
            simulator = try SimulatorProcess(scratch)
            let keys = try Self.control("keys", at: simulator.httpPort)["keys"]?.array
            let key = keys?.first { $0["app"]?.string == Self.app }?["key"]?.string
            try scratch.write("secret", try #require(key) + "\n")
            var settings = Settings(scratch)
            let url = "http://127.0.0.1:\(simulator.httpPort)/app-ai-gateway"
            settings.extra = [
                "secrets: { key: { file: \(scratch.path("secret")) } }",
                "providers:",
                "  gateway: { kind: app-ai-gateway, base_url: \(url), app_id: \(Self.app), secret: key, "
                    + "user: issuer-token }",
                "tokens: { ai: { provider: gateway, allow: [{ user: \(geteuid()) }] } }",
            ]
            broker = try BrokerProcess(scratch, settings.text)
        }

        var client: TokenBrokerClient { TokenBrokerClient(socketPath: broker.appsSocket) }

        @discardableResult
        static func control(_ action: String, _ order: JSONValue? = nil, at port: UInt16) throws -> JSONValue {
            let answer = try Connection(port: port).exchange(
                .post,
                "/control/app-ai-gateway/\(action)",
                body: order?.serialized() ?? []
            )
            guard answer.status == 200 else { throw HarnessError("control: \(answer.json)") }
            return answer.json
        }

        /// Who the gateway thinks sends a request with these headers.
        func user(_ headers: [String: String]) throws -> String? {
            let answer = try Connection(port: simulator.httpPort).exchange(
                .get,
                "/app-ai-gateway/v1/apps/\(Self.app)/me",
                headers: headers.map { ($0.key, $0.value) }
            )
            return answer.text("user_id")
        }
    }

    /// What an identity provider gives a user; each has another text.
    private static func issued(to user: String, _ number: Int = 0) -> String {
        let claims = #"{"sub":"\#(user)","exp":32503680000,"jti":"\#(number)"}"#
        return [#"{"alg":"ES256","kid":"k"}"#, claims, "signature"].map {
            Data($0.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=",
                with: ""
            )
        }.joined(separator: ".")
    }

    @Test("gets each user a token of their own, and headers that the gateway takes for that user")
    func users() async throws {
        let gateway = try Gateway()
        let client = gateway.client
        for user in ["ann", "bob"] {
            let source = IssuerTokenSource { _ in Self.issued(to: user) }
            let token = try await client.token(named: "ai", issuerToken: source)
            let headers = ["Authorization": "Bearer \(token.accessToken)", "X-App-Version": "1"]
            #expect(try gateway.user(headers) == user)
            let authorization = try await client.authorize(
                named: "ai",
                method: "GET",
                url: "/v1/apps/\(Gateway.app)/me",
                appVersion: "1.2",
                issuerToken: source
            )
            #expect(try gateway.user(authorization.headers) == user)
            #expect(authorization.headers["X-App-Version"] == "1.2")
            #expect(authorization.expiresAt?.seconds == token.expiresAt?.seconds)
            let another = try await client.rejected(token)
            #expect(another.accessToken != token.accessToken)
            #expect(try await client.token(named: "ai", issuerToken: source).accessToken == another.accessToken)
        }
    }

    @Test("asks for a new issuer token, once, when the gateway has rejected the one before")
    func rejected() async throws {
        let gateway = try Gateway()
        let asked = Mutex<[Bool]>([])
        let source = IssuerTokenSource { forceRefresh in
            asked.withLock { $0.append(forceRefresh) }
            return forceRefresh ? Self.issued(to: "ann") : "stale"
        }
        let token = try await gateway.client.token(named: "ai", issuerToken: source)
        #expect(try gateway.user(["Authorization": token.accessToken, "X-App-Version": "1"]) == "ann")
        #expect(asked.withLock { $0 } == [false, true])
        let bad = IssuerTokenSource { "stale-\($0)" }
        let error = await #expect(throws: TokenBrokerError.self) {
            try await gateway.client.token(named: "ai", issuerToken: bad)
        }
        #expect(error?.code == .providerRefusedUser)
        #expect(error?.providerCode == "issuer_token_rejected")
    }

    @Test("has the app recover, once, when claims are missing")
    func claims() async throws {
        let gateway = try Gateway()
        let port = gateway.simulator.httpPort
        try Gateway.control("users", ["withhold_claims": "ann"], at: port)
        let source = IssuerTokenSource(
            onMissingClaims: { try Gateway.control("users", ["grant_claims": "ann"], at: port) },
            token: { Self.issued(to: "ann", $0 ? 1 : 0) }
        )
        #expect(try await gateway.client.token(named: "ai", issuerToken: source).name == "ai")
    }
}
