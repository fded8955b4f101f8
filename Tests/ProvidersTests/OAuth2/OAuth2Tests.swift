import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("OAuth 2.0 client credentials")
struct OAuth2Tests {
    private static let secret = "s3cr:t canary"
    private static let success = #"{"access_token":"a","token_type":"bearer","expires_in":3600}"#

    private func mint(_ sender: FakeSender, _ options: [String: String] = [:]) async throws -> Mint {
        let definition = ProviderDefinition(
            name: "partner",
            kind: "oauth2",
            baseURL: "https://idp.example/token",
            secret: "key",
            timeout: .seconds(10),
            options: Options(["client_id": "b:roker"].merging(options) { $1 })
        )
        let token = TokenDefinition(name: "partner", provider: "partner")
        return try await OAuth2Provider(definition, sender: sender)
            .mint(MintRequest(token: token, secret: Secret(Self.secret.utf8)))
    }

    @Test("sends the client in the Authorization header, both parts encoded")
    func basic() async throws {
        let sender = FakeSender(200, Self.success)
        let mint = try await mint(sender, ["scope": "a b"])
        #expect(mint.text == TokenText("a"))
        #expect(mint.expiry == .after(.seconds(3600)))
        let request = try #require(sender.requests.first)
        #expect(request.path.isEmpty)
        #expect(request.bodyText == "grant_type=client_credentials&scope=a+b")
        // b%3Aroker:s3cr%3At+canary
        #expect(request.headerLines.contains("Authorization: Basic YiUzQXJva2VyOnMzY3IlM0F0K2NhbmFyeQ=="))
        #expect(request.headerLines.contains("Content-Type: application/x-www-form-urlencoded"))
    }

    @Test(
        "tells the scope that was granted, which is the one that was asked for where the server names none",
        arguments: [
            ("", "a b"), (#","scope":"a""#, "a"), (#","scope":"""#, "a b"), (#","scope":7"#, "a b"),
            (#","scope":"a\"b""#, "a b"),
        ]
    )
    func scope(_ member: String, _ granted: String) async throws {
        let sender = FakeSender(200, #"{"access_token":"a","token_type":"bearer"\#(member)}"#)
        #expect(try await mint(sender, ["scope": "a b"]).scope?.text == granted)
    }

    @Test("tells no scope where nobody names one")
    func noScope() async throws {
        #expect(try await mint(FakeSender(200, Self.success)).scope == nil)
    }

    @Test("sends the client in the body where the server wants it there")
    func body() async throws {
        let sender = FakeSender(200, Self.success)
        _ = try await mint(sender, ["client_auth": "body", "audience": "https://api.example/", "resource": "urn:x"])
        let request = try #require(sender.requests.first)
        #expect(
            request.bodyText
                == "grant_type=client_credentials&audience=https%3A%2F%2Fapi.example%2F&resource=urn%3Ax"
                + "&client_id=b%3Aroker&client_secret=s3cr%3At+canary"
        )
        #expect(!request.headerLines.contains { $0.hasPrefix("Authorization") })
    }

    @Test(
        "reads the lifetime however it is written, and never invents one",
        arguments: [
            (#","expires_in":"3600""#, .after(.seconds(3600))), (#","expires_in":3.6e3"#, .after(.seconds(3600))),
            (#","expires_in":null"#, .unstated), ("", .unstated), (#","expires_in":0"#, .after(.zero)),
        ] as [(String, StatedExpiry)]
    )
    func lifetime(_ member: String, _ expiry: StatedExpiry) async throws {
        #expect(try await mint(FakeSender(200, #"{"access_token":"a"\#(member)}"#)).expiry == expiry)
    }

    private static func error(_ code: String) -> String { #"{"error":"\#(code)","error_description":"\#(secret)"}"# }

    static let faults =
        Fault.common + [
            Fault(401, error("invalid_client"), .secretRejected, code: "invalid_client"),
            Fault(400, error("invalid_client"), .secretRejected, code: "invalid_client"),
            Fault(400, error("invalid_grant"), .secretRejected, code: "invalid_grant"),
            Fault(400, error("invalid_scope"), .requestRejected, code: "invalid_scope"),
            Fault(400, error("invalid_request"), .requestRejected, code: "invalid_request"),
            Fault(400, error("invalid_target"), .requestRejected, code: "invalid_target"),
            Fault(400, error("unauthorized_client"), .requestRejected, code: "unauthorized_client"),
            Fault(400, error("unsupported_grant_type"), .requestRejected, code: "unsupported_grant_type"),
            Fault(403, error("access_denied"), .requestRejected, code: "access_denied"),
            Fault(503, error("temporarily_unavailable"), .transient, code: "temporarily_unavailable"),
            Fault(
                503,
                error("temporarily_unavailable"),
                headers: Fault.pause,
                .transient,
                code: "temporarily_unavailable"
            ),
            Fault(
                429,
                error("temporarily_unavailable"),
                .rateLimited,
                code: "temporarily_unavailable"
            ),
            Fault(
                400,
                error("slow_down"),
                headers: Fault.pause,
                .rateLimited,
                code: "slow_down"
            ),
            Fault(401, error("news"), .secretRejected, code: "news"),
            Fault(400, error("news"), .requestRejected, code: "news"),
            // A gateway's words on the way are not the server's.
            Fault(401, #"{"error":"Bad gateway on the way"}"#, .transient),
            Fault(200, #"{"access_token":"a","token_type":"DPoP","expires_in":60}"#, .transient),
            Fault(200, #"{"access_token":"a","expires_in":"soon"}"#, .transient),
            Fault(200, #"{"access_token":["a"],"expires_in":60}"#, .transient),
        ]

    @Test("tells its failures apart by their code", arguments: faults)
    func failures(_ fault: Fault) async throws {
        try await fault.check(withholding: [Self.secret]) { try await mint($0) }
    }
}
