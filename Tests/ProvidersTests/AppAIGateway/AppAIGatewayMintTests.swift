import Testing
import TokenBroker
import Upstream

@Suite("App AI Gateway: minting")
struct AppAIGatewayMintTests {
    private static let token = #"{"access_token":"eyJ.gateway.token","expires_in":3600,"verify_on":"every_request"}"#

    @Test("exchanges the user's issuer token with exactly the members that the gateway reads")
    func exchange() async throws {
        let sender = FakeSender(200, Self.token, headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"])
        let mint = try await Gateway.provider("issuer-token", ["app_version": "2.1"], sender: sender)
            .mint(Gateway.request(issuerToken: Gateway.issuerToken))
        #expect(mint.text == TokenText("eyJ.gateway.token"))
        #expect(mint.expiry == .after(.seconds(3600)))
        #expect(mint.requestedAt == FakeSender.requestedAt)
        #expect(mint.providerDate == WallInstant(milliseconds: 784_111_778_000))
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.method == .post)
        #expect(request.path == "/v1/apps/example-app-a1b2c3/auth/token")
        #expect(request.bodyText == #"{"api_key":"\#(Gateway.key)","issuer_token":"\#(Gateway.issuerToken)"}"#)
        #expect(
            request.headerLines == [
                "Content-Type: application/json", "Accept: application/json", "X-App-Version: 2.1",
            ]
        )
        #expect(request.isReplayable)
    }

    @Test("reads seconds as a number or as text, and invents no end")
    func expiry() async throws {
        for (member, expected) in [
            (#","expires_in":"120""#, .after(.seconds(120))), (#","expires_in":0"#, .after(.zero)),
            (#","expires_in":null"#, .unstated), ("", .unstated),
        ] as [(String, StatedExpiry)] {
            let sender = FakeSender(200, #"{"access_token":"a"\#(member)}"#)
            let mint = try await Gateway.provider("issuer-token", sender: sender)
                .mint(Gateway.request(issuerToken: Gateway.issuerToken))
            #expect(mint.expiry == expected)
        }
    }

    @Test("asks for the user's issuer token before anything is sent")
    func noIssuerToken() async {
        let sender = FakeSender(200, Self.token)
        let failure = await #expect(throws: MintFailure.self) {
            try await Gateway.provider("issuer-token", sender: sender).mint(Gateway.request())
        }
        #expect(failure?.failureClass == .userRefused)
        #expect(sender.requests.isEmpty)
    }

    @Test("answers the key itself, without an end and without a call", arguments: ["none", "header"])
    func key(_ user: String) async throws {
        let sender = FakeSender(500, "")
        let mint = try await Gateway.provider(user, sender: sender).mint(Gateway.request())
        #expect(mint.text == TokenText(Gateway.key))
        #expect(mint.expiry == .never)
        #expect(mint.requestedAt == StandingClock().now())
        #expect(sender.requests.isEmpty)
    }

    @Test("does not hand out a key that no header can carry", arguments: ["agw_a b", "agw_\u{7F}", "agw_ä"])
    func unusableKey(_ key: String) async {
        let failure = await #expect(throws: MintFailure.self) {
            try await Gateway.provider("none", sender: FakeSender(200, "")).mint(Gateway.request(key: key))
        }
        #expect(failure?.failureClass == .secretUnavailable)
    }

    @Test(
        "proves the key first when it was refused",
        arguments: [
            ("none", 404, Gateway.error("auth_method_not_supported"), []),
            ("none", 200, #"{"user_id":"key_1","limits":{}}"#, []),
            ("header", 200, #"{"user_id":"u-1","limits":{"blocked":false}}"#, ["X-End-User-ID: u-1"]),
        ] as [(String, Int, String, [String])]
    )
    func provenKey(user: String, status: Int, body: String, userHeader: [String]) async throws {
        let sender = FakeSender(status, body)
        let options = user == "header" ? ["verify_as": "u-1"] : [:]
        let mint = try await Gateway.provider(user, options, sender: sender).mint(Gateway.request(isForced: true))
        #expect(mint.text == TokenText(Gateway.key))
        #expect(mint.expiry == .never)
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.path == "/v1/apps/example-app-a1b2c3/me")
        #expect(
            request.headerLines == [
                "Authorization: Bearer \(Gateway.key)", "Accept: application/json",
                "X-App-Version: \(Product.version)",
            ] + userHeader
        )
    }

    @Test("cannot prove a key of users in a header without one to be, and says what to set")
    func unprovable() async {
        let sender = FakeSender(200, "{}")
        let failure = await #expect(throws: MintFailure.self) {
            try await Gateway.provider("header", sender: sender).mint(Gateway.request(isForced: true))
        }
        #expect(failure?.failureClass == .requestRejected)
        #expect(failure?.detail.contains("verify_as") == true)
        #expect(sender.requests.isEmpty)
    }
}
