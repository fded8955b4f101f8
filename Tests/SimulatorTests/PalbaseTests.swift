import HTTPWire
import JSON
import Simulator
import TestSupport
import Testing

@Suite("Palbase", .blocking)
struct PalbaseTests {
    private let seed = SimulatorOptions.demoRefreshToken

    @Test("mints for a refresh token an access token that works and says whose it is")
    func refresh() throws {
        try PalbaseClient.run { (palbase) throws in
            let response = try palbase.refresh(seed)
            #expect(response.status == 200)
            let names = response.json.object?.members.map(\.name)
            #expect(names == ["access_token", "refresh_token", "token_type", "expires_in"])
            #expect(response.json["token_type"] == "Bearer")
            #expect(response.json["expires_in"] == 1800)
            #expect(response.headers.first("Cache-Control") == "no-store")
            #expect(response.accessToken?.split(separator: ".").count == 3)
            let todos = try palbase.todos(response.accessToken)
            #expect(todos.status == 200)
            #expect(todos.json["subject"] == "user_demo")
        }
    }

    @Test("each refresh brings the token for the next one")
    func rotation() throws {
        try PalbaseClient.run { (palbase) throws in
            let second = try palbase.refresh(seed)
            let third = try palbase.refresh(second.refreshToken)
            #expect(third.status == 200)
            #expect(Set([seed, second.refreshToken, third.refreshToken]).count == 3)
            #expect(second.accessToken != third.accessToken)
            #expect(try palbase.todos(second.accessToken).status == 200)
        }
    }

    @Test("an Authorization on the refresh is refused, and spends nothing")
    func bearer() throws {
        try PalbaseClient.run { (palbase) throws in
            let response = try palbase.refresh(seed, headers: [("Authorization", "Bearer x")])
            #expect(response.status == 400)
            #expect(response.json["error"] == "bearer_not_allowed")
            #expect(try palbase.client.report("palbase")["refresh_tokens"] == [])
        }
    }

    @Test("a refresh without its token, or with another path or method, is refused")
    func malformed() throws {
        try PalbaseClient.run { (palbase) throws in
            #expect(try palbase.refresh(nil).json["error"] == "invalid_request")
            #expect(try palbase.refresh("").status == 400)
            let path = PalbaseClient.refreshPath
            #expect(try palbase.client.exchange(.get, path).headers.first("Allow") == "POST")
            #expect(try palbase.client.exchange(.delete, "/palbase/v1/todos").status == 405)
            #expect(try palbase.client.exchange(.post, path + "/").json["error"] == "not_found")
        }
    }

    @Test(
        "the project's key has to be there, known, and of the token's project",
        arguments: [
            (nil, "missing_api_key"), ("pb_demo_c0", "invalid_api_key"), ("demo", "invalid_api_key"),
            ("pb_other_c1", "invalid_token"),
        ] as [(String?, String)]
    )
    func keys(_ key: String?, _ code: String) throws {
        try PalbaseClient.run { (palbase) throws in
            #expect(try palbase.control("keys", ["add": "pb_other_c1"]).status == 200)
            let response = try palbase.refresh(seed, key: key)
            #expect(response.status == 401)
            #expect(response.json["error"] == .string(code))
            #expect(try palbase.refresh(seed).status == 200)
        }
    }

    @Test("a key can be revoked, and come back")
    func revokedKey() throws {
        try PalbaseClient.run { (palbase) throws in
            let key = JSONValue.string(SimulatorOptions.demoPublishableKey)
            #expect(try palbase.control("keys", ["revoke": key]).status == 200)
            #expect(try palbase.refresh(seed).json["error"] == "revoked_api_key")
            #expect(try palbase.control("keys", ["add": key]).status == 200)
            #expect(try palbase.refresh(seed).status == 200)
            #expect(try palbase.control("keys", ["add": "sk_v1_key"]).status == 400)
            #expect(try palbase.control("keys", ["remove": key]).status == 400)
        }
    }

    @Test("data need a user's token beside the publishable key; the service key acts alone")
    func todos() throws {
        try PalbaseClient.run { (palbase) throws in
            let token = try #require(try palbase.refresh(seed).accessToken)
            #expect(try palbase.todos(nil).json["error"] == "unauthorized")
            #expect(try palbase.todos(token + "x").json["error"] == "invalid_token")
            #expect(try palbase.todos(token, key: nil).json["error"] == "missing_api_key")
            let service = try palbase.todos(nil, key: SimulatorOptions.demoServiceKey)
            #expect(service.status == 200)
            #expect(service.json["subject"] == "service_role")
            #expect(try palbase.todos(token, key: SimulatorOptions.demoServiceKey).json["subject"] == "user_demo")
            #expect(try palbase.control("keys", ["add": "pb_other_c1"]).status == 200)
            #expect(try palbase.todos(token, key: "pb_other_c1").json["error"] == "invalid_token")
        }
    }

    @Test("an error says what, and which request; a request that names itself keeps its name")
    func envelope() throws {
        try PalbaseClient.run { (palbase) throws in
            let named = try palbase.refresh("unknown", headers: [("X-Request-ID", "mine-7")])
            #expect(named.headers.values("X-Request-ID") == ["mine-7"])
            #expect(named.json["request_id"] == "mine-7")
            #expect(named.json["status"] == 401)
            #expect(named.json["error"] == "invalid_token")
            #expect(named.json["error_description"]?.string?.isEmpty == false)
            let unnamed = try palbase.refresh("unknown")
            let id = try #require(unnamed.headers.first("X-Request-ID"))
            #expect(id.hasPrefix("req_"))
            #expect(unnamed.json["request_id"] == .string(id))
        }
    }

    @Test("counts a call's repetitions by its Idempotency-Key, unhandled ones too")
    func idempotencyKeys() throws {
        try PalbaseClient.run { (palbase) throws in
            let key = [("Idempotency-Key", "idmp_1")]
            try palbase.behave(["status": 503, "times": 1])
            #expect(try palbase.refresh(seed, headers: key).status == 503)
            #expect(try palbase.refresh(seed, headers: key).status == 200)
            _ = try palbase.refresh("unknown", headers: [("Idempotency-Key", "idmp_2")])
            let report = try palbase.client.report("palbase")
            #expect(
                report["idempotency_keys"] == [["key": "idmp_1", "requests": 2], ["key": "idmp_2", "requests": 1]]
            )
        }
    }

    @Test("the report holds no token")
    func report() throws {
        try PalbaseClient.run { (palbase) throws in
            let minted = try palbase.refresh(seed)
            let report = try palbase.client.send(.get, "/control/palbase").text
            for secret in [seed, minted.refreshToken, minted.accessToken].compactMap(\.self) {
                #expect(!report.contains(secret))
            }
        }
    }
}
