import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("App AI Gateway's exchange", .blocking)
struct GatewayExchangeTests {
    private typealias App = GatewayClient.App

    @Test("mints a token that lives an hour and stands for the user")
    func mint() throws {
        try GatewayClient.run { (client) throws in
            let response = try client.exchange()
            #expect(response.status == 200)
            #expect(response.headers.first("Content-Type") == "application/json; charset=UTF-8")
            #expect(response.json.object?.members.map(\.name) == ["access_token", "expires_in"])
            #expect(response.json["expires_in"] == 3600)
            let token = try #require(response.json["access_token"]?.string)
            #expect(token.split(separator: ".").count == 3)
            let me = try client.send(.get, .issuer, "me", ["Authorization": token, "X-App-Version": "1"])
            #expect(me.json["user_id"] == "user-1")
            #expect(try client.count("mints") == 1)
            #expect(try client.count("mints", at: App.issuer.path("me")) == 0)
        }
    }

    @Test("is not for apps that exchange nothing")
    func otherApps() throws {
        try GatewayClient.run { (client) throws in
            for app in [App.none, .header] {
                #expect(try client.exchange(app, body: ["any": 1]).refusal == "400 auth_method_not_supported")
                #expect(try client.exchange(app, body: []).refusal == "400 invalid_request")
            }
            for endpoint in ["challenge", "register"] {
                let response = try client.send(.post, .issuer, "auth/" + endpoint, body: Array("{}".utf8))
                #expect(response.refusal == "403 auth_method_not_supported")
            }
        }
    }

    @Test(
        "takes exactly two members, both of them text",
        arguments: [
            ["api_key": "k"], ["issuer_token": "t"], ["api_key": "", "issuer_token": "t"],
            ["api_key": "k", "issuer_token": ""], ["api_key": 1, "issuer_token": "t"],
            ["api_key": "k", "issuer_token": "t", "user_id": "u"], [], nil,
        ] as [JSONValue]
    )
    func strictBody(_ body: JSONValue) throws {
        try GatewayClient.run { (client) throws in
            #expect(try client.exchange(body: body).refusal == "400 invalid_request")
            #expect(try client.count("refused") == 0)
        }
    }

    @Test("refuses a wrong key before it looks at the issuer token, and with 403")
    func wrongKey() throws {
        try GatewayClient.run { (client) throws in
            let unknown = "agw_" + String(repeating: "x", count: 48)
            try client.control("settings", ["issuer_available": false])
            for key in [unknown, try client.key(of: .none)] {
                let token = GatewayClient.issuerToken(for: "user-1")
                #expect(try client.exchange(key: key, issuerToken: token).refusal == "403 auth_required")
                #expect(try client.exchange(key: key, issuerToken: "garbage").refusal == "403 auth_required")
            }
            #expect(try client.count("refused") == 4)
            #expect(try client.exchange().refusal == "503 issuer_verification_unavailable")
        }
    }

    @Test("rejects an issuer token that is garbage, over, or names nobody")
    func rejectedIssuerToken() throws {
        try GatewayClient.run { (client) throws in
            let key = try client.key(of: .issuer)
            let claims: [JSONValue] = [
                ["sub": "u"], ["exp": 32_503_680_000], ["sub": "", "exp": 32_503_680_000],
                ["sub": "u", "exp": 1_000_000_000],
            ]
            let tokens = ["dummy", "a.b.c", "e30.e30."] + claims.map(GatewayClient.issuerToken)
            for token in tokens {
                #expect(try client.exchange(key: key, issuerToken: token).refusal == "403 issuer_token_rejected")
            }
        }
    }

    @Test("waits for what the app demands of a user")
    func missingClaims() throws {
        try GatewayClient.run { (client) throws in
            let key = try client.key(of: .issuer)
            let token = GatewayClient.issuerToken(["sub": "u", "exp": 32_503_680_000, "entitled": false])
            #expect(try client.exchange(key: key, issuerToken: token).refusal == "403 issuer_claims_missing")
            try client.control("users", ["withhold_claims": "user-1"])
            #expect(try client.exchange().refusal == "403 issuer_claims_missing")
            try client.control("users", ["grant_claims": "user-1"])
            #expect(try client.exchange().status == 200)
        }
    }

    @Test("a blocked user gets no token, and the others do")
    func blockedUser() throws {
        try GatewayClient.run { (client) throws in
            try client.control("users", ["block": "user-1"])
            #expect(try client.exchange(for: "user-1").refusal == "403 auth_required")
            #expect(try client.exchange(for: "user-2").status == 200)
            try client.control("users", ["unblock": "user-1"])
            #expect(try client.exchange(for: "user-1").status == 200)
        }
    }

    @Test("looks for the app after the body's form, and says whether it is there or disabled")
    func order() throws {
        try GatewayClient.run { (client) throws in
            let path = "/v1/apps/no-such-app/auth/token"
            #expect(try client.send(.post, path).refusal == "400 invalid_request")
            #expect(try client.send(.post, path, body: Array("{}".utf8)).refusal == "404 app_not_found")
            try client.control("apps", ["disable": .string(App.issuer.rawValue)])
            #expect(try client.exchange().refusal == "403 app_disabled")
            try client.control("apps", ["enable": .string(App.issuer.rawValue)])
            #expect(try client.exchange().status == 200)
            #expect(try client.send(.get, .issuer, "auth/token").refusal == "404 invalid_request")
        }
    }

    @Test("limits the exchanges before it looks at them, and says when to come again")
    func limit() throws {
        try GatewayClient.run { (client) throws in
            // None at all, so that no turn of a minute can let one pass.
            try client.control("settings", ["exchanges_per_minute": 0])
            let response = try client.send(.post, .issuer, "auth/token", body: Array("{".utf8))
            #expect(response.refusal == "429 rate_limited")
            let seconds = try #require(response.headers.first("Retry-After").flatMap { Int64($0) })
            #expect((1...60).contains(seconds))
            let data = response.json["error"]?["data"]
            #expect(data?["scope"] == "app_auth_token")
            #expect(data?["limit"] == 0)
            #expect(data?["windowSeconds"] == 60)
            #expect(data?["retryAfterSeconds"]?.number?.int64 == seconds)
            #expect(data?["resetAt"]?.string?.hasSuffix(":00.000Z") == true)
            #expect(try client.count("mints") == 0)
            let challenge = try client.send(.post, .issuer, "auth/challenge")
            #expect(challenge.json["error"]?["data"]?["scope"] == "app_auth_challenge")
        }
    }

    @Test("can say how proofs are verified, and mint tokens that say nothing")
    func settings() throws {
        try GatewayClient.run { (client) throws in
            try client.control("settings", ["verify_on": "every_request", "opaque_tokens": true])
            let response = try client.exchange()
            #expect(response.json["verify_on"] == "every_request")
            #expect(response.json["access_token"]?.string?.contains(".") == false)
            #expect(try client.control("settings", ["verify_on": "never"]).status == 400)
            #expect(try client.control("settings", ["no_such_setting": 1]).status == 400)
        }
    }

    @Test("the lifetime can be written in every wrong way")
    func lifetimeForms() throws {
        try GatewayClient.run { (client) throws in
            func form(_ form: JSONValue) throws -> JSONValue? {
                try client.behave(["expires_at": form, "lifetime_seconds": 120])
                return try client.exchange().json["expires_in"]
            }
            #expect(try form(nil) == 120)
            #expect(try form("milliseconds") == 120_000)
            #expect(try form("string") == "120")
            #expect(try form("missing") == nil)
            #expect(try form("null") == .some(.null))
            #expect(try form("past") == -60)
            #expect(try form("rfc3339")?.string?.hasSuffix("Z") == true)
            #expect(try #require(try form("absolute")?.number?.int64) > 1_000_000_000)
        }
    }

    @Test("has the faults that every provider has")
    func faults() throws {
        try GatewayClient.run { (client) throws in
            try client.behave(["status": 429, "retry_after": "7"])
            let limited = try client.exchange()
            #expect(limited.refusal == "429 rate_limited")
            #expect(limited.headers.values("Retry-After") == ["7"])
            // Instead of what the error says by itself.
            try client.behave(["status": nil, "error": "rate_limited", "retry_after": "Fri, 31 Dec 1999 23:59:59 GMT"])
            #expect(try client.exchange().headers.values("Retry-After") == ["Fri, 31 Dec 1999 23:59:59 GMT"])
            try client.behave(["error": nil, "retry_after": nil, "body_form": "bom", "same_token": true])
            let marked = try client.exchange()
            #expect(marked.body.starts(with: [0xEF, 0xBB, 0xBF]))
            #expect(try client.exchange().json["access_token"] == marked.json["access_token"])
            #expect(try client.exchange(for: "user-2").json["access_token"] != marked.json["access_token"])
        }
    }

    @Test(
        "can be told to refuse with any of its errors, once",
        arguments: [
            ("issuer_token_rejected", "403", nil), ("app_rate_limited", "429", "30"), ("internal_error", "500", nil),
            ("billing_unavailable", "503", "5"), ("billing_payment_required", "402", nil),
        ]
    )
    func namedErrors(_ code: String, _ status: String, _ retryAfter: String?) throws {
        try GatewayClient.run { (client) throws in
            try client.behave(["error": .string(code), "times": 1, "path": .string(GatewayClient.tokenPath)])
            let response = try client.exchange()
            #expect(response.refusal == "\(status) \(code)")
            #expect(response.headers.first("Retry-After") == retryAfter)
            #expect(try client.exchange().status == 200)
            #expect(try client.count("mints") == 1)
            #expect(try client.behave(["error": "no_such_error"]).status == 400)
        }
    }
}
