import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("App AI Gateway's data plane", .blocking)
struct GatewayDataPlaneTests {
    private typealias App = GatewayClient.App

    @Test("says what arrived, and nothing of the credential")
    func echo() throws {
        try GatewayClient.run { (client) throws in
            let key = try client.key(of: .header)
            let headers = ["Authorization": "Bearer \(key)", "X-End-User-ID": "user-1", "X-App-Version": "1.2"]
            let body = Array("{\"model\":\"m\",\"input\":\"hi\"}".utf8)
            let response = try client.send(.put, .header, "proxy/openai/v1/responses", headers, body: body)
            #expect(response.status == 200)
            #expect(response.json["provider"] == "openai")
            #expect(response.json["path"] == "v1/responses")
            #expect(response.json["method"] == "PUT")
            #expect(response.json["user"] == "user-1")
            #expect(response.json["app_version"] == "1.2")
            let hash = "231ff162d93431c8fadceec61ce96172c7eb292b2aec7857506693838c9fe418"
            #expect(response.json["body_sha256"] == .string(hash))
            #expect(!response.text.contains(key))
            let endpoint = try client.send(.post, .header, "endpoints/summary-1", headers)
            #expect(endpoint.json["endpoint"] == "summary-1")
        }
    }

    @Test("has the paths that it has, for an app that exists")
    func paths() throws {
        try GatewayClient.run { (client) throws in
            for path in ["endpoints/a", "endpoints/a/b", "me/x", "proxy/openai", "realtime/openai"] {
                #expect(try client.send(.get, .none, path).refusal == "404 invalid_request")
            }
            #expect(try client.send(.get, "/v2").refusal == "404 invalid_request")
            #expect(try client.send(.get, "/v1/apps/other/me").refusal == "404 app_not_found")
            #expect(try client.send(.get, "/v1/healthz").json["ok"] == true)
            let key = ["Authorization": try client.key(of: .none)]
            #expect(try client.send(.post, .none, "endpoints/A", key).refusal == "404 endpoint_not_found")
        }
    }

    @Test("takes a key of the app alone, with or without Bearer", arguments: ["", "Bearer ", "bEARER  "])
    func keys(_ prefix: String) throws {
        try GatewayClient.run { (client) throws in
            func call(_ credential: String) throws -> String {
                try client.send(.post, .none, "endpoints/a", ["Authorization": prefix + credential]).refusal
            }
            #expect(try call(client.key(of: .none)) == "200 -")
            #expect(try call(client.key(of: .none, 1)) == "200 -")
            #expect(try call(client.key(of: .header)) == "401 auth_required")
            #expect(try call("agw_wrong") == "401 auth_required")
            #expect(try call(client.token()) == "401 auth_required")
            #expect(try call("") == "401 auth_required")
            #expect(try client.count("refused", at: App.none.path("endpoints/a")) == 4)
        }
    }

    @Test("takes a provider's own field for the key where there is no other, and on the proxy alone")
    func otherFields() throws {
        try GatewayClient.run { (client) throws in
            let key = try client.key(of: .none)
            for field in ["x-api-key", "x-goog-api-key"] {
                #expect(try client.send(.get, .none, "proxy/anthropic/v1/models", [field: key]).status == 200)
                #expect(try client.send(.post, .none, "endpoints/a", [field: key]).refusal == "401 auth_required")
                let both = ["Authorization": "Bearer wrong", field: key]
                #expect(try client.send(.get, .none, "proxy/anthropic/v1", both).refusal == "401 auth_required")
            }
        }
    }

    @Test(
        "refuses a user who is not named well before it looks at the key",
        arguments: [nil, "", "a b", String(repeating: "x", count: 129)]
    )
    func headerUser(_ user: String?) throws {
        try GatewayClient.run { (client) throws in
            var headers = ["Authorization": "agw_wrong"]
            headers["x-end-user-id"] = user
            #expect(try client.send(.get, .header, "me", headers).refusal == "400 invalid_request")
            headers["Authorization"] = nil
            #expect(try client.send(.get, .header, "me", headers).refusal == "401 auth_required")
            headers["x-end-user-id"] = String(repeating: "x", count: 128)
            headers["Authorization"] = "agw_wrong"
            #expect(try client.send(.get, .header, "me", headers).refusal == "401 auth_required")
            headers["Authorization"] = try client.key(of: .header)
            #expect(try client.send(.get, .header, "me", headers).status == 200)
        }
    }

    @Test("the field that names the user can have another name")
    func otherUserField() throws {
        try GatewayClient.run { (client) throws in
            try client.control("settings", ["end_user_header": "X-Tenant-User"])
            let key = try client.key(of: .header)
            let headers = ["Authorization": key, "x-end-user-id": "user-1", "x-tenant-user": "user-2"]
            #expect(try client.send(.get, .header, "me", headers).json["user_id"] == "user-2")
        }
    }

    @Test("an app without users has no me, and says so to a good key alone")
    func me() throws {
        try GatewayClient.run { (client) throws in
            let key = ["Authorization": try client.key(of: .none)]
            #expect(try client.send(.get, .none, "me", key).refusal == "404 auth_method_not_supported")
            #expect(try client.send(.get, .none, "me", ["Authorization": "x"]).refusal == "401 auth_required")
        }
    }

    @Test("an app with an issuer takes gateway tokens with a version, and no key")
    func gatewayTokens() throws {
        try GatewayClient.run { (client) throws in
            func call(_ credential: String, _ version: String?) throws -> HTTPClientResponse {
                var headers = ["Authorization": "Bearer \(credential)", "x-end-user-id": "a b"]
                headers["X-App-Version"] = version
                return try client.send(.get, .issuer, "proxy/openai/v1/models", headers)
            }
            let token = try client.token()
            #expect(try call(token, "1.0").json["user"] == "user-1")
            #expect(try call(token, nil).refusal == "400 invalid_request")
            #expect(try call(token, "").refusal == "400 invalid_request")
            #expect(try call("x" + token, nil).refusal == "401 auth_required")
            #expect(try call(client.key(of: .issuer), "1.0").refusal == "401 auth_required")
            let long = String(repeating: "v", count: 70)
            #expect(try call(token, long).json["app_version"]?.string?.count == 64)
        }
    }

    @Test("a token ends with its lifetime, when it is revoked, and with its key")
    func tokenEnds() throws {
        try GatewayClient.run { (client) throws in
            func call(_ token: String) throws -> String {
                try client.send(.get, .issuer, "me", ["Authorization": token, "X-App-Version": "1"]).refusal
            }
            let token = try client.token()
            try client.behave(["clock_skew_seconds": 3601])
            #expect(try call(token) == "401 auth_required")
            try client.behave(["clock_skew_seconds": nil])
            #expect(try call(token) == "200 -")
            let key = try client.key(of: .issuer)
            try client.control("keys", ["revoke": .string(key)])
            #expect(try call(token) == "401 auth_required")
            #expect(try client.exchange().refusal == "403 auth_required")
            let second = try client.key(of: .issuer, 1)
            #expect(
                try client.exchange(key: second, issuerToken: GatewayClient.issuerToken(for: "u")).status == 200
            )
            try client.control("keys", ["restore": .string(key)])
            #expect(try call(token) == "200 -")
            #expect(try client.control("revoke", ["token": .string(token)]).json["revoked"] == 1)
            #expect(try call(token) == "401 auth_required")
        }
    }

    @Test("a blocked user is refused with 403, whatever names the user")
    func blocked() throws {
        try GatewayClient.run { (client) throws in
            let token = ["Authorization": try client.token(), "X-App-Version": "1"]
            let key = ["Authorization": try client.key(of: .header), "x-end-user-id": "user-1"]
            try client.control("users", ["block": "user-1"])
            #expect(try client.send(.get, .issuer, "me", token).refusal == "403 auth_required")
            #expect(try client.send(.get, .header, "me", key).refusal == "403 auth_required")
            #expect(try client.send(.post, .header, "endpoints/a", key).refusal == "403 auth_required")
        }
    }

    @Test("keys can be added; what is misspelt is refused")
    func control() throws {
        try GatewayClient.run { (client) throws in
            let key = "agw_" + String(repeating: "Z", count: 48)
            let added: JSONValue = ["app": .string(App.none.rawValue), "add": .string(key)]
            #expect(try client.control("keys", added).status == 200)
            #expect(try client.send(.post, .none, "endpoints/a", ["Authorization": key]).status == 200)
            let refused: [(String, JSONValue)] = [
                ("keys", added), ("keys", ["add": .string(key)]), ("keys", ["revoke": "agw_unknown"]),
                ("keys", ["app": .string(App.none.rawValue), "add": "agw_short"]), ("users", ["ban": "u"]),
                ("users", ["block": ""]), ("apps", ["disable": "other"]), ("revoke", ["tokens": "t"]),
            ]
            for (action, members) in refused { #expect(try client.control(action, members).status == 400) }
            #expect(try client.control("other").status == 404)
        }
    }
}
