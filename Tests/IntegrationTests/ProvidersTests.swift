import HTTPWire
import JSON
import TestSupport
import Testing

/// Each kind of provider on the real daemon, and what the provider says to the credential.
@Suite("Providers on the real daemon", .blocking)
struct ProvidersTests {
    // MARK: The credential works

    @Test("AI Autocomplete takes the token, which was minted once for a route, a program and a proxy")
    func autocomplete() throws {
        let site = try ProviderSite()
        let route = try site.broker.get("/routes/autocomplete")
        let token = try #require(route.text("access_token"))
        #expect(try site.fetch(.autocomplete).text("access_token") == token)
        let headers = try site.forwardAuth(.autocomplete)
        #expect(headers.map(\.0) == ["Authorization"])
        #expect(headers.first?.1 == "Bearer \(token)")
        #expect(try site.simulator.suggest(token) == 200)
        #expect(try site.simulator.count("mints", of: "ai-autocomplete") == 1)
    }

    @Test("App AI Gateway takes a user's token with the app's version, and knows the user; one mint for each user")
    func gateway() throws {
        let site = try ProviderSite()
        let endpoint = "/v1/apps/example-issuer-a1b2c3/endpoints/chat"
        let (ann, bob) = (JWT.issuerToken("ann"), JWT.issuerToken("bob"))
        for (user, issuerToken) in [("ann", ann), ("bob", bob), ("ann", ann)] {
            let headers = try site.authorize(.gateway, ["issuer_token": .string(issuerToken), "app_version": "2.1"])
            let answer = try site.simulator.ask("app-ai-gateway", .post, endpoint, headers: headers)
            #expect(answer.status == 200)
            #expect(answer.text("user") == user)
            #expect(answer.text("app_version") == "2.1")
        }
        #expect(try site.simulator.count("mints", of: "app-ai-gateway") == 2)
    }

    @Test("App AI Gateway takes the key with the user whom the proxy names, and nothing is minted")
    func gatewayKey() throws {
        let site = try ProviderSite()
        for user in ["ann", "bob"] {
            let headers = try site.forwardAuth(.gatewayKey, ("X-User", user))
            let me = try site.simulator.ask(
                "app-ai-gateway",
                .get,
                "/v1/apps/example-header-a1b2c3/me",
                headers: headers
            )
            #expect(me.text("user_id") == user)
        }
        #expect(try site.broker.get("/v1/forward-auth/gateway-key").status == 401)
        #expect(try site.simulator.count("mints", of: "app-ai-gateway") == 0)
    }

    @Test("Roadie takes a user's token; one mint for each user")
    func roadie() throws {
        let site = try ProviderSite()
        for user in ["ann", "bob", "ann"] {
            let route = try site.broker.get("/routes/roadie", ("X-User", user))
            #expect(route.text("end_user_id") == user)
            let headers = [("Authorization", "Bearer \(route.text("token") ?? "")")]
            #expect(try site.simulator.ask("roadie", .get, "/v1/models", headers: headers).status == 200)
            #expect(try site.fetch(.roadie, for: user).text("access_token") == route.text("token"))
        }
        #expect(try site.simulator.count("mints", of: "roadie") == 2)
    }

    @Test("new-api takes a signed request once, and no other body with its signature")
    func relay() throws {
        let site = try ProviderSite()
        let question = Array(#"{"model":"gpt-4o-mini","messages":[{"role":"user","content":"hello"}]}"#.utf8)
        func ask(_ body: [UInt8], _ headers: [(String, String)]) throws -> Int {
            let headers = headers + [("Content-Type", "application/json")]
            return try site.simulator.ask("new-api", .post, "/v1/chat/completions", headers: headers, body: body).status
        }
        let digest = JSONValue.string(Self.questionDigest)
        let headers = try site.authorize(.relay, ["method": "POST", "body_sha256": digest])
        #expect(try ask(question + [UInt8(ascii: " ")], headers) == 401)
        #expect(try ask(question, headers) == 200)
        #expect(try ask(question, headers) == 401)
        #expect(try ask(question, site.authorize(.relay, ["method": "POST", "body_sha256": digest])) == 200)
        let whole = JSONValue.string(String(decoding: question, as: UTF8.self))
        #expect(try ask(question, site.authorize(.relay, ["method": "POST", "body": whole])) == 200)
        #expect(try site.post("/v1/authorize/relay", ["method": "POST"]).code == "body_required")
    }

    /// Computed apart from this code.
    private static let questionDigest = "e659f0ccab7613e5972004e14f78a6017b74f63f1863c0a4045cf07deca4f9bd"

    @Test("an OAuth 2.0 server's resource takes the token, with the scope that the configuration asks for")
    func partner() throws {
        let site = try ProviderSite()
        let token = try #require(try site.broker.get("/routes/partner").text("access_token"))
        let headers = try site.authorize(.partner, [:])
        #expect(headers.map(\.1) == ["Bearer \(token)"])
        let resource = try site.simulator.ask("oauth2", .get, "/resource", headers: headers)
        #expect(resource.text("scope") == "read write")
        #expect(try site.simulator.count("mints", of: "oauth2") == 1)
    }

    // MARK: It does not

    @Test(
        "a wrong key is told as what it is, not minted from and not tried again at once",
        arguments: ProviderSite.Kind.minting
    )
    func wrongKey(_ kind: ProviderSite.Kind) throws {
        let site = try ProviderSite(wrongKeys: true)
        let answer = try site.fetch(kind)
        #expect(answer.code == "provider_rejected_secret")
        #expect(answer.status == 502)
        let requests = try site.simulator.count("requests", of: kind.provider)
        for user in ["ann", "bob", "carol"] {
            #expect(try site.fetch(kind, for: user).code == "provider_rejected_secret")
        }
        #expect(try site.simulator.count("requests", of: kind.provider) == requests)
        #expect(try site.simulator.count("mints", of: kind.provider) == 0)
        #expect(try site.broker.status(of: kind.rawValue)["state"] == "secret_rejected")
    }

    @Test(
        "a wrong key that is the credential is found out when it is reported",
        arguments: [ProviderSite.Kind.gatewayKey, .relay]
    )
    func wrongCredential(_ kind: ProviderSite.Kind) throws {
        let site = try ProviderSite(wrongKeys: true)
        let key = try #require(try site.fetch(kind).text("access_token"))
        let report: JSONValue = ["access_token": .string(key)]
        #expect(try site.post("/v1/tokens/\(kind.rawValue)/rejected", report).code == "provider_rejected_secret")
        #expect(try site.fetch(kind).code == "provider_rejected_secret")
    }

    @Test(
        "a good key that is the credential is proven when it is reported",
        arguments: [ProviderSite.Kind.gatewayKey, .relay]
    )
    func goodCredential(_ kind: ProviderSite.Kind) throws {
        let site = try ProviderSite()
        let key = try #require(try site.fetch(kind).text("access_token"))
        let report: JSONValue = ["access_token": .string(key)]
        #expect(try site.post("/v1/tokens/\(kind.rawValue)/rejected", report).code == "token_not_stale")
        #expect(try site.fetch(kind).text("access_token") == key)
    }

    // MARK: Users

    @Test("a user who is blocked changes nothing for the others", arguments: [ProviderSite.Kind.gateway, .roadie])
    func blockedUser(_ kind: ProviderSite.Kind) throws {
        let site = try ProviderSite()
        let ann = JWT.issuerToken("ann")
        let before = try site.fetch(kind, for: "ann", issuerToken: ann)
        try site.simulator.order(kind.provider, "users", ["block": "bob"])
        for _ in 0..<3 {
            let refused = try site.fetch(kind, for: "bob")
            #expect(refused.code == "provider_refused_user")
            #expect(refused.status == 403)
        }
        #expect(try site.fetch(kind, for: "carol").status == 200)
        let after = try site.fetch(kind, for: "ann", issuerToken: ann)
        #expect(after.status == 200)
        #expect(after.integer("generation") == before.integer("generation"))
        #expect(after.json["degraded"] == false)
        #expect(try site.simulator.count("mints", of: kind.provider) == 2)
    }

    @Test("a user whose allowance is spent at Roadie changes nothing for the others")
    func exhaustedUser() throws {
        let site = try ProviderSite()
        try site.simulator.order("roadie", "users", ["exhaust": "bob"])
        #expect(try site.fetch(.roadie, for: "bob").code == "provider_quota_exhausted")
        #expect(try site.fetch(.roadie, for: "ann").status == 200)
    }

    @Test("an issuer token that the gateway rejects, or without the claims that it wants, is its user's trouble alone")
    func issuerTokens() throws {
        let site = try ProviderSite()
        try site.simulator.order("app-ai-gateway", "users", ["withhold_claims": "bob"])
        let nobodys = JWT.text(["exp": .number(JSONNumber(WallClock.milliseconds / 1000 + 600))])
        for (issuerToken, code) in [
            (nobodys, "issuer_token_rejected"), ("opaque-and-unknown", "issuer_token_rejected"),
            (JWT.issuerToken("bob"), "issuer_claims_missing"),
        ] {
            let refused = try site.fetch(.gateway, issuerToken: issuerToken)
            #expect(refused.status == 403)
            #expect(refused.code == "provider_refused_user")
            #expect(refused.text("provider_code") == code)
        }
        #expect(try site.fetch(.gateway, for: "ann").status == 200)
        #expect(try site.broker.get("/v1/forward-auth/gateway").status == 401)
    }

    @Test("a gateway's token is served no longer than the issuer token that it was minted from lives")
    func issuerTokensEnd() throws {
        let site = try ProviderSite()
        let answer = try site.fetch(.gateway, issuerToken: JWT.issuerToken("ann", secondsLeft: 120))
        #expect((1...120).contains(try #require(answer.integer("expires_in"))))
    }

    // MARK: A pause

    @Test("a pause that a provider asks for holds for every user of the account", arguments: ProviderSite.Kind.minting)
    func pause(_ kind: ProviderSite.Kind) throws {
        let site = try ProviderSite()
        try site.simulator.behave(kind.provider, ["status": 429, "retry_after": "60", "times": 1])
        for user in ["ann", "bob", "ann"] {
            let answer = try site.fetch(kind, for: user)
            #expect(answer.status == 503)
            #expect(answer.code == "provider_rate_limited")
            #expect((50...60).contains(try #require(answer.integer("retry_after"))))
        }
        #expect(try site.simulator.count("requests", of: kind.provider) == 1)
        #expect(try site.simulator.count("mints", of: kind.provider) == 0)
        #expect(try site.broker.status(of: kind.rawValue)["state"] == "rate_limited")
    }
}
