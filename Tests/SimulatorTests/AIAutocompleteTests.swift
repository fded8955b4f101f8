import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("AI Autocomplete", .blocking)
struct AIAutocompleteTests {
    @Test("mints a token that ends in whole unix seconds, and that works")
    func mint() throws {
        var options = SimulatorOptions()
        options.lifetimeSeconds = 100
        try Client.run(options) { (client) throws in
            let response = try client.mint()
            let mintedAt = try #require(try client.report()["minted_at_ms"]?.array?.first?.number?.int64)
            let token = try #require(response.json["access_token"]?.string)
            #expect(response.status == 200)
            #expect(token.hasPrefix("at_v1_"))
            #expect(response.json["token_type"] == "Bearer")
            #expect(response.json["expires_at"]?.number?.int64 == mintedAt / 1000 + 100)
            #expect(response.json.object?.members.map(\.name) == ["access_token", "expires_at", "token_type"])
            #expect(try client.suggest(token).status == 200)
        }
    }

    @Test("never mints the same token twice")
    func tokensDiffer() throws {
        try Client.run { (client) throws in
            #expect(try client.mintedToken() != client.mintedToken())
        }
    }

    @Test(
        "mints for known secret keys only",
        arguments: ["sk_v1_unknown", "sk_v1_", "pk_v1_public", "at_v1_made_up", "sk_v1_test_demox"]
    )
    func refusedKey(_ key: String) throws {
        var options = SimulatorOptions()
        options.keys.append("pk_v1_public")
        try Client.run(options) { (client) throws in
            let response = try client.mint(key)
            #expect(response.status == 401)
            #expect(response.json["error"]?["code"] == "INVALID_SECRET_KEY")
            #expect(response.json["error"]?["message"]?.string?.isEmpty == false)
            #expect(try client.count("refused") == 1)
            #expect(try client.count("mints") == 0)
        }
    }

    @Test("takes a POST with a JSON object only")
    func refusedRequests() throws {
        try Client.run { (client) throws in
            let key = SimulatorOptions.demoSecretKey
            let get = try client.send(.get, Client.tokenPath, bearer: key)
            #expect(get.status == 405)
            #expect(get.headers.first("Allow") == "POST")
            let form = try client.send(
                .post,
                Client.tokenPath,
                bearer: key,
                contentType: "text/plain",
                ["product_id": .string(Client.product)]
            )
            #expect(form.status == 415)
            #expect(try client.send(.post, Client.tokenPath, bearer: key, ["product": 1]).status == 400)
            #expect(try client.send(.post, Client.tokenPath, bearer: key, nil).status == 400)
            #expect(try client.send(.post, "/ai-autocomplete/api/auth", bearer: key).status == 404)
            #expect(try client.send(.post, "/ai-autocompletex/api/auth/token", bearer: key).status == 404)
            #expect(try client.count("mints") == 0)
        }
    }

    @Test("has the products it was given, or every UUID")
    func products() throws {
        try Client.run { (client) throws in
            #expect(try client.mint(product: "11111111-2222-3333-4444-555555555555").status == 200)
            #expect(try client.mint(product: "not-a-uuid").status == 404)
        }
        var options = SimulatorOptions()
        options.products = [Client.product.uppercased()]
        try Client.run(options) { (client) throws in
            #expect(try client.mint().status == 200)
            #expect(try client.mint(product: "11111111-2222-3333-4444-555555555555").status == 404)
            try client.behave(["unknown_product_status": 400])
            #expect(try client.mint(product: "11111111-2222-3333-4444-555555555555").status == 400)
        }
    }

    @Test("suggests for a known key or a live token, and echoes query and meta")
    func suggest() throws {
        var options = SimulatorOptions()
        options.keys.append("pk_v1_public")
        try Client.run(options) { (client) throws in
            for credential in ["pk_v1_public", SimulatorOptions.demoSecretKey, try client.mintedToken()] {
                let response = try client.suggest(credential)
                #expect(response.status == 200)
                #expect(response.json["data"]?["raw_query"] == "lunch")
                #expect(response.json["meta"] == Client.meta)
                #expect(response.json["data"]?["suggestions"]?.array?.isEmpty == false)
            }
            for credential in ["pk_v1_other", "sk_v1_other", "at_v1_0123456789abcdef", nil] {
                #expect(try client.suggest(credential).status == 401)
            }
        }
    }

    @Test(
        "does not suggest without a well-formed meta",
        arguments: [
            ["request_at": "2026-01-02T03:04:05Z"],
            ["request_id": "3f0d7f9e-52f8-4f0e-9a5c-0c8f2a1d6b11"],
            ["request_id": "3f0d7f9e", "request_at": "2026-01-02T03:04:05Z"],
            ["request_id": "3f0d7f9e-52f8-4f0e-9a5c-0c8f2a1d6b11", "request_at": "yesterday"],
        ] as [JSONValue]
    )
    func malformedMeta(_ meta: JSONValue) throws {
        try Client.run { (client) throws in
            #expect(try client.suggest(SimulatorOptions.demoSecretKey, meta: meta).status == 400)
        }
    }

    @Test("keys can be added and revoked; a revoked key's tokens live on")
    func keys() throws {
        try Client.run { (client) throws in
            let keys = "/control/ai-autocomplete/keys"
            #expect(try client.mint("sk_v1_second").status == 401)
            #expect(try client.send(.post, keys, ["add": "sk_v1_second"]).status == 200)
            let minted = try client.mint("sk_v1_second")
            #expect(minted.status == 200)
            #expect(try client.send(.post, keys, ["revoke": "sk_v1_second"]).status == 200)
            #expect(try client.mint("sk_v1_second").status == 401)
            #expect(try client.suggest(minted.json["access_token"]?.string).status == 200)
            #expect(try client.send(.post, keys, ["add": "no-key"]).status == 400)
            #expect(try client.send(.post, keys, ["remove": "sk_v1_second"]).status == 400)
        }
    }

    @Test("tokens can be revoked, one or all")
    func revoke() throws {
        try Client.run { (client) throws in
            let (first, second, third) = (try client.mintedToken(), try client.mintedToken(), try client.mintedToken())
            let revoke = "/control/ai-autocomplete/revoke"
            #expect(try client.send(.post, revoke, ["token": .string(first)]).json["revoked"] == 1)
            #expect(try client.send(.post, revoke, ["token": .string(first)]).json["revoked"] == 0)
            #expect(try client.suggest(first).status == 401)
            #expect(try client.suggest(second).status == 200)
            #expect(try client.send(.post, revoke).json["revoked"] == 2)
            #expect(try client.suggest(third).status == 401)
        }
    }
}
