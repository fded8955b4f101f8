import HTTPWire
import JSON
import TestSupport
import Testing

@testable import Simulator

@Suite("Roadie", .blocking)
struct RoadieTests {
    @Test("mints a token for an end user with 201, and says its end as RFC 3339 has it")
    func mint() throws {
        try RoadieClient.run { (client) throws in
            let response = try client.mint()
            let mintedAt = try #require(try client.report()["minted_at_ms"]?.array?.first?.number?.int64)
            #expect(response.status == 201)
            #expect(response.json.object?.members.map(\.name) == ["token", "expires_at", "end_user_id"])
            #expect(response.json["end_user_id"] == "user-1")
            let expiry = CalendarText.rfc3339(unixMilliseconds: mintedAt + 3_600_000)
            #expect(response.json["expires_at"] == .string(expiry))
            #expect(response.headers.first("X-Request-Id")?.isEmpty == false)
        }
    }

    @Test("a token tells end user, plan and scopes, and both data routes take it")
    func chat() throws {
        try RoadieClient.run { (client) throws in
            let token = try client.token(["end_user": ["id": "user-1", "plan": "pro"], "scopes": ["ai.chat"]])
            for path in ["/v1/chat", "/openai/v1/chat/completions"] {
                let response = try client.send(.post, path, bearer: token, ["model": "gpt-5"])
                #expect(response.status == 200)
                #expect(response.json["model"] == "gpt-5")
                let expected: JSONValue = [
                    "end_user_id": "user-1", "plan": "pro", "scopes": ["ai.chat"], "attributes": [:],
                ]
                #expect(response.json["roadie"] == expected)
            }
            #expect(try client.send(.get, "/v1/models", bearer: token).json["object"] == "list")
            #expect(try client.chat(RoadieClient.secretKey).json["roadie"] == .some(.null))
            #expect(try client.chat(token + "x").refusal == "401 invalid_api_key")
            #expect(try client.chat(RoadieClient.publishableKey).errorType == "permission_error")
        }
    }

    @Test("each request mints one more, the same Idempotency-Key or not")
    func noReplay() throws {
        try RoadieClient.run { (client) throws in
            let body = RoadieClient.minimalBody.serialized()
            let headers = [
                try HeaderField("Authorization", "Bearer \(RoadieClient.secretKey)"),
                try HeaderField("Idempotency-Key", "same"),
            ]
            let request = try HTTPClientRequest(
                .post,
                "/roadie/v1/client-tokens",
                headers: headers,
                body: body
            ).encoded()
            let connection = try ClientConnection(port: client.port)
            try connection.send(request + request)
            let tokens = [try connection.receive().json["token"], try connection.receive().json["token"]]
            #expect(tokens[0] != nil && tokens[1] != nil && tokens[0] != tokens[1])
            #expect(try client.count("mints") == 2)
            _ = try client.chat(tokens[0]?.string)
            #expect(try client.count("mints", at: "/openai/v1/chat/completions") == 0)
        }
    }

    @Test("the lifetime asked for is cut to an hour", arguments: [(600, 600), (3600, 3600), (86_400, 3600)])
    func lifetime(_ asked: Int64, _ granted: Int64) throws {
        try RoadieClient.run { (client) throws in
            try client.behave(["expires_at": "relative"])
            let body: JSONValue = ["end_user": ["id": "u"], "ttl_seconds": .number(JSONNumber(asked))]
            #expect(try client.mint(body).json["expires_at"]?.number?.int64 == granted)
        }
    }

    @Test(
        "takes no null, and no member of another type",
        arguments: [
            ([], nil), ([:], "end_user"), (["end_user": ["id": ""]], "end_user.id"),
            (["end_user": ["id": 7]], "end_user.id"), (["end_user": ["id": "u", "plan": nil]], "end_user.plan"),
            (["end_user": ["id": "u", "attributes": []]], "end_user.attributes"),
            (["end_user": ["id": "u"], "ttl_seconds": nil], "ttl_seconds"),
            (["end_user": ["id": "u"], "ttl_seconds": "600"], "ttl_seconds"),
            (["end_user": ["id": "u"], "ttl_seconds": 0], "ttl_seconds"),
            (["end_user": ["id": "u"], "scopes": ["ai.chat", 1]], "scopes"),
            (["end_user": ["id": "u"], "more": nil], "more"),
        ] as [(JSONValue, String?)]
    )
    func refusedBody(_ body: JSONValue, _ parameter: String?) throws {
        try RoadieClient.run { (client) throws in
            let response = try client.mint(body)
            #expect(response.status == 400)
            #expect(response.errorType == "invalid_request_error")
            #expect(response.json["error"]?["param"]?.string == parameter)
            #expect(try client.count("mints") == 0)
        }
    }

    @Test("attributes are kept from the first mint, and are no more than 4 KB")
    func attributes() throws {
        try RoadieClient.run { (client) throws in
            func body(_ text: String) -> JSONValue {
                ["end_user": ["id": "user-1", "attributes": ["a": .string(text)]]]
            }
            // Eight bytes are what is around the text.
            #expect(try client.mint(body(String(repeating: "x", count: 4089))).status == 400)
            let first = String(repeating: "x", count: 4088)
            #expect(try client.mint(body(first)).status == 201)
            let second = try client.token(body("second"))
            #expect(try client.chat(second).json["roadie"]?["attributes"]?["a"] == .string(first))
        }
    }

    @Test("mints for a secret key that works, and for no other")
    func keys() throws {
        try RoadieClient.run { (client) throws in
            let token = try client.token()
            #expect(try client.mint(key: RoadieClient.publishableKey).refusal == "403 secret_key_required")
            #expect(try client.mint(key: "rd_sk_other").refusal == "401 invalid_api_key")
            #expect(try client.mint(key: token).errorType == "authentication_error")
            #expect(try client.mint(key: nil).errorType == "authentication_error")
            #expect(try client.count("refused") == 4)
            try client.control("keys", ["revoke": .string(RoadieClient.secretKey)])
            #expect(try client.mint().refusal == "401 invalid_api_key")
            #expect(try client.mint(key: "rd_sk_test_demo2").status == 201)
            try client.control("keys", ["add": .string(RoadieClient.secretKey)])
            #expect(try client.mint().status == 201)
            #expect(try client.control("keys", ["add": "sk_other"]).status == 400)
        }
    }

    @Test("an end user can be blocked, or out of quota, and the others are not")
    func endUsers() throws {
        try RoadieClient.run { (client) throws in
            let token = try client.token()
            let other: JSONValue = ["end_user": ["id": "user-2"]]
            try client.control("users", ["block": "user-1"])
            #expect(try client.mint().refusal == "403 end_user_blocked")
            #expect(try client.chat(token).errorType == "permission_error")
            #expect(try client.mint(other).status == 201)
            try client.control("users", ["unblock": "user-1"])
            try client.control("users", ["exhaust": "user-1"])
            let exhausted = try client.mint()
            #expect(exhausted.refusal == "429 insufficient_quota")
            #expect(exhausted.errorType == "quota_error")
            #expect(try client.chat(token).errorType == "quota_error")
            #expect(try client.mint(other).status == 201)
            try client.control("users", ["refill": "user-1"])
            #expect(try client.mint().status == 201)
        }
    }

    @Test("says how much of the limit is left, and when there is more")
    func limit() throws {
        try RoadieClient.run { (client) throws in
            let response = try client.mint()
            #expect(response.headers.first("X-RateLimit-Limit") == "600")
            #expect(response.headers.first("X-RateLimit-Remaining") == "599")
            let reset = try #require(response.headers.first("X-RateLimit-Reset").flatMap { Int64($0) })
            #expect(reset % 60 == 0)
            try client.control("settings", ["requests_per_minute": 0])
            let limited = try client.mint()
            #expect(limited.refusal == "429 rate_limited")
            #expect(limited.errorType == "rate_limit_error")
            #expect(limited.headers.first("X-RateLimit-Remaining") == "0")
            let seconds = try #require(limited.headers.first("Retry-After").flatMap { Int64($0) })
            #expect((1...60).contains(seconds))
            #expect(try client.count("mints") == 1)
        }
    }

    @Test(
        "can be told to refuse with each kind of error",
        arguments: [
            ("invalid_request_error", 400), ("authentication_error", 401), ("budget_error", 402),
            ("permission_error", 403), ("not_found_error", 404), ("idempotency_error", 409), ("rate_limit_error", 429),
            ("quota_error", 429), ("provider_error", 502), ("internal_error", 500),
        ]
    )
    func namedErrors(_ type: String, _ status: Int) throws {
        try RoadieClient.run { (client) throws in
            try client.behave(["error": .string(type), "times": 1])
            let response = try client.mint()
            #expect(response.status == status)
            #expect(response.errorType == type)
            #expect(response.json["error"]?["request_id"]?.string == response.headers.first("X-Request-Id"))
            #expect(try client.mint().status == 201)
            #expect(try client.count("mints") == 1)
        }
    }

    @Test("an error's kind and status can disagree, and a status alone has its own kind")
    func statuses() throws {
        try RoadieClient.run { (client) throws in
            try client.behave(["error": "quota_error", "status": 402])
            #expect(try client.mint().refusal == "402 insufficient_quota")
            let kinds: [(Int64, String)] = [
                (402, "budget_error"), (418, "invalid_request_error"), (429, "rate_limit_error"),
                (503, "internal_error"),
            ]
            for (status, type) in kinds {
                try client.behave(["error": nil, "status": .number(JSONNumber(status))])
                let response = try client.mint()
                #expect(response.status == Int(status))
                #expect(response.errorType == type)
            }
        }
    }

    @Test("a token ends with its lifetime and when it is revoked")
    func tokenEnds() throws {
        try RoadieClient.run { (client) throws in
            let token = try client.token()
            try client.behave(["clock_skew_seconds": 3601])
            #expect(try client.chat(token).refusal == "401 invalid_api_key")
            try client.behave(["clock_skew_seconds": nil])
            #expect(try client.chat(token).status == 200)
            #expect(try client.control("revoke", ["token": .string(token)]).json["revoked"] == 1)
            #expect(try client.chat(token).refusal == "401 invalid_api_key")
        }
    }

    @Test("has the faults that every provider has")
    func faults() throws {
        try RoadieClient.run { (client) throws in
            func form(_ form: JSONValue) throws -> JSONValue? {
                try client.behave(["expires_at": form])
                return try client.mint().json["expires_at"]
            }
            #expect(try form("missing") == nil)
            #expect(try #require(try form("seconds")?.number?.int64) > 1_000_000_000)
            #expect(try #require(try form("milliseconds")?.number?.int64) > 1_000_000_000_000)
            try client.behave(["expires_at": nil, "body_form": "truncated"])
            #expect(try client.mint().json == .null)
            try client.behave(["body_form": nil, "same_token": true])
            #expect(try client.token() == client.token())
            #expect(try client.token(["end_user": ["id": "user-2"]]) != client.token())
        }
    }

    @Test("there is nothing at other paths, or with other methods")
    func paths() throws {
        try RoadieClient.run { (client) throws in
            for (method, path) in [(HTTPMethod.get, "/v1/client-tokens"), (.post, "/v1/device/register")] {
                #expect(try client.send(method, path, bearer: RoadieClient.secretKey).refusal == "404 not_found")
            }
        }
    }
}
