import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("App AI Gateway's management of keys", .blocking)
struct GatewayManagementTests {
    private static let keys = "/v1/admin/apps/example-none-a1b2c3/keys"
    private static let authorization = ["Authorization": "Bearer agw_mgmt_example"]
    private static let body = Array("{\"name\":\" next \"}".utf8)

    @Test("makes a key that works at once, lists it first, and revokes it for good")
    func rotate() throws {
        try GatewayClient.run { (client) throws in
            let made = try client.send(.post, Self.keys, Self.authorization, body: Self.body)
            #expect(made.status == 201)
            #expect(made.json.object?.members.map(\.name) == ["id", "name", "key", "key_prefix", "created_at"])
            #expect(made.json["name"] == "next")
            let key = try #require(made.json["key"]?.string)
            let id = try #require(made.json["id"]?.string)
            #expect(key.wholeMatch(of: #/agw_[0-9A-Za-z]{48}/#) != nil)
            #expect(id.wholeMatch(of: #/key_[0-9a-z]{20}/#) != nil)
            #expect(made.json["key_prefix"]?.string == String(key.prefix(12)))

            #expect(try first(client)["last_used_at"] == .some(.null))
            let headers = ["Authorization": key]
            #expect(try client.send(.post, .none, "endpoints/a", headers).status == 200)
            let listed = try first(client)
            #expect(listed["id"] == .string(id))
            #expect(listed["status"] == "active")
            #expect(listed["key"] == nil)
            let used = try #require(listed["last_used_at"]?.string)
            #expect(used.wholeMatch(of: #/20\d\d-\d\d-\d\d \d\d:\d\d:\d\d/#) != nil)

            for _ in 0..<2 {
                let revoked = try client.send(.post, Self.keys + "/\(id)/revoke", Self.authorization)
                #expect(revoked.status == 200)
                #expect(revoked.json["key"]?["status"] == "revoked")
            }
            #expect(try client.send(.post, .none, "endpoints/a", headers).refusal == "401 auth_required")
            #expect(
                try client.send(.post, .none, "endpoints/a", ["Authorization": client.key(of: .none)]).status == 200
            )
        }
    }

    @Test("makes no more keys than may work at once, where there is a limit")
    func limited() throws {
        try GatewayClient.run { (client) throws in
            #expect(try client.control("settings", ["active_keys_per_app": 3]).status == 200)
            let made = try client.send(.post, Self.keys, Self.authorization, body: Self.body)
            #expect(made.status == 201)
            let refused = try client.send(.post, Self.keys, Self.authorization, body: Self.body)
            #expect(refused.refusal == "409 billing_plan_limit_reached")
            #expect(refused.json["error"]?["data"] == ["limit": 3, "used": 3])
            let id = try #require(made.json["id"]?.string)
            _ = try client.send(.post, Self.keys + "/\(id)/revoke", Self.authorization)
            #expect(try client.send(.post, Self.keys, Self.authorization, body: Self.body).status == 201)
        }
    }

    @Test("takes a management key alone, which no app takes")
    func credentials() throws {
        try GatewayClient.run { (client) throws in
            let key = ["Authorization": "Bearer \(try client.key(of: .none))"]
            #expect(try client.send(.get, Self.keys, key).refusal == "401 auth_required")
            #expect(try client.send(.get, Self.keys).refusal == "401 auth_required")
            #expect(try client.send(.post, .none, "endpoints/a", Self.authorization).refusal == "401 auth_required")
        }
    }

    @Test("refuses what is not there, and a name that is none")
    func refused() throws {
        try GatewayClient.run { (client) throws in
            func send(_ method: HTTPMethod, _ path: String, _ body: String = "") throws -> String {
                try client.send(method, path, Self.authorization, body: Array(body.utf8)).refusal
            }
            #expect(try send(.get, "/v1/admin/apps/other/keys") == "404 app_not_found")
            #expect(try send(.post, Self.keys + "/key_unknown/revoke") == "404 not_found")
            let issuerKey = try client.control("keys").json["keys"]?.array?.last?["id"]?.string
            #expect(try send(.post, Self.keys + "/\(try #require(issuerKey))/revoke") == "404 not_found")
            #expect(try send(.delete, Self.keys) == "404 invalid_request")
            for name in ["\"\"", "\" \"", "7", "\"\(String(repeating: "x", count: 101))\""] {
                #expect(try send(.post, Self.keys, "{\"name\":\(name)}") == "400 invalid_request")
            }
        }
    }

    @Test("tells a lost answer again, for a quarter of an hour and to who proves to have asked")
    func receipts() throws {
        try GatewayClient.run { (client) throws in
            let idempotencyKey = String(repeating: "k", count: 32)
            func create(_ proof: Character = "p", _ body: [UInt8] = Self.body) throws -> HTTPClientResponse {
                var headers = Self.authorization
                headers["Idempotency-Key"] = idempotencyKey
                headers["X-Idempotency-Proof"] = String(repeating: proof, count: 32)
                return try client.send(.post, Self.keys, headers, body: body)
            }
            let made = try create()
            #expect(made.status == 201)
            #expect(try create().body == made.body)
            #expect(try create("q").status == 403)
            #expect(try create("p", Array("{\"name\":\"other\"}".utf8)).refusal == "409 conflict")
            try client.behave(["clock_skew_seconds": 901])
            let late = try create()
            #expect(late.status == 410)
            #expect(late.json["error"]?["data"]?["keyId"] == made.json["id"])
            let listed = try client.send(.get, Self.keys, Self.authorization).json["keys"]?.array
            #expect(listed?.count { $0["name"] == "next" } == 1)
            var half = Self.authorization
            half["Idempotency-Key"] = idempotencyKey
            #expect(try client.send(.post, Self.keys, half, body: Self.body).refusal == "400 invalid_request")
        }
    }

    private func first(_ client: GatewayClient) throws -> JSONValue {
        try #require(try client.send(.get, Self.keys, Self.authorization).json["keys"]?.array?.first)
    }
}
