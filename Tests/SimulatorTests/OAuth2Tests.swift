import HTTPWire
import JSON
import TestSupport
import Testing

@testable import Simulator

@Suite("OAuth 2.0", .blocking)
struct OAuth2Tests {
    private static let grant = ("grant_type", "client_credentials")
    private static let demo = (id: SimulatorOptions.demoClientID, secret: SimulatorOptions.demoClientSecret)

    @Test("mints for credentials in the field or in the body a token that works")
    func mint() throws {
        try Client.run { (client) throws in
            let inField = try client.token([Self.grant], basic: Self.demo)
            let inBody = try client.token([
                Self.grant, ("client_id", Self.demo.id), ("client_secret", Self.demo.secret),
            ])
            for response in [inField, inBody] {
                #expect(response.status == 200)
                #expect(response.json.object?.members.map(\.name) == ["access_token", "token_type", "expires_in"])
                #expect(response.json["token_type"] == "Bearer")
                #expect(response.json["expires_in"] == 3600)
                #expect(response.headers.first("Cache-Control") == "no-store")
                #expect(response.headers.first("Pragma") == "no-cache")
                #expect(try client.resource(response.accessToken).json["client_id"] == "broker")
            }
            #expect(inField.accessToken != inBody.accessToken)
            #expect(try client.report("oauth2")["mints_by_client_auth"] == ["basic": 1, "body": 1])
        }
    }

    @Test("scope, audience and resources are granted as asked for")
    func parameters() throws {
        try Client.run { (client) throws in
            let response = try client.token(
                [
                    Self.grant, ("scope", "read write:all"), ("audience", "https://api.example/"),
                    ("resource", "https://one.example/a?b"), ("resource", "urn:two"),
                ],
                basic: Self.demo
            )
            #expect(response.json["scope"] == "read write:all")
            let granted = try client.resource(response.accessToken).json
            #expect(granted["scope"] == "read write:all")
            #expect(granted["audience"] == "https://api.example/")
            #expect(granted["resource"] == ["https://one.example/a?b", "urn:two"])
        }
    }

    @Test("id and secret are form-encoded inside Basic, each by itself")
    func encodedCredentials() throws {
        try Client.run { (client) throws in
            let (id, secret) = ("a:b c", "p%q&r=+ß")
            let added: JSONValue = ["add": .string(id), "secret": .string(secret)]
            #expect(try client.send(.post, "/control/oauth2/clients", added).status == 200)
            #expect(try client.token([Self.grant], basic: (id, secret)).status == 200)
            // Not encoded, the id ends at its first colon.
            let plain = Base64.encoded(Array("\(id):\(secret)".utf8))
            #expect(try client.token([Self.grant], authorization: "Basic \(plain)").status == 401)
            let body = [Self.grant, ("client_id", id), ("client_secret", secret)]
            #expect(try client.token(body).status == 200)
        }
    }

    @Test(
        "a client that does not say who it is, or is another, is told how to",
        arguments: [
            nil, "Basic", "Basic !!!", "Bearer x", "Basic \(Base64.encoded(Array("broker".utf8)))",
            "Basic \(Base64.encoded(Array("broker:wrong".utf8)))", "Basic \(Base64.encoded(Array("x:%zz".utf8)))",
        ]
    )
    func invalidClient(_ authorization: String?) throws {
        try Client.run { (client) throws in
            let response = try client.token([Self.grant], authorization: authorization)
            #expect(response.status == 401)
            #expect(response.json["error"] == "invalid_client")
            #expect(response.headers.first("WWW-Authenticate")?.hasPrefix("Basic ") == true)
            #expect(try client.count("refused", "oauth2") == 1)
            #expect(try client.count("mints", "oauth2") == 0)
        }
    }

    @Test(
        "a malformed request is refused with the error that the standard has for it",
        arguments: [
            ([], "invalid_request"),
            ([("grant_type", "client_credentials"), ("grant_type", "client_credentials")], "invalid_request"),
            ([("grant_type", "client_credentials"), ("client_secret", "demo-client-secret")], "invalid_request"),
            ([("grant_type", "client_credentials"), ("client_id", "another")], "invalid_request"),
            ([("grant_type", "password")], "unsupported_grant_type"),
            ([("grant_type", "client_credentials"), ("scope", "a  b")], "invalid_scope"),
            ([("grant_type", "client_credentials"), ("scope", "a\"b")], "invalid_scope"),
            ([("grant_type", "client_credentials"), ("resource", "/relative")], "invalid_target"),
            ([("grant_type", "client_credentials"), ("resource", "https://a.example/#b")], "invalid_target"),
        ] as [([(String, String)], String)]
    )
    func malformed(_ parameters: [(String, String)], _ code: String) throws {
        try Client.run { (client) throws in
            let response = try client.token(parameters, basic: Self.demo)
            #expect(response.status == 400)
            #expect(response.json["error"] == .string(code))
        }
    }

    @Test("a token request is a form, and a POST")
    func noForm() throws {
        try Client.run { (client) throws in
            let json = try client.send(.post, "/oauth2/token", ["grant_type": "client_credentials"])
            #expect(json.json["error"] == "invalid_request")
            #expect(try client.exchange(.get, "/oauth2/token").headers.first("Allow") == "POST")
            #expect(try client.exchange(.post, "/oauth2/resource").headers.first("Allow") == "GET")
            #expect(try client.exchange(.get, "/oauth2").status == 404)
        }
    }

    @Test("a client gets its own scopes, all of them where it names none, and no other")
    func scopes() throws {
        try Client.run { (client) throws in
            let added: JSONValue = ["add": "broker", "secret": "s", "scopes": ["a", "b"]]
            #expect(try client.send(.post, "/control/oauth2/clients", added).status == 200)
            func scope(_ text: String) throws -> HTTPClientResponse {
                try client.token([Self.grant, ("scope", text)], basic: ("broker", "s"))
            }
            #expect(try scope("").json["scope"] == "a b")
            #expect(try scope("b").json["scope"] == "b")
            #expect(try scope("a c").json["error"] == "invalid_scope")
        }
    }

    @Test("a client can be forbidden the grant, and be removed")
    func forbidden() throws {
        try Client.run { (client) throws in
            let clients = "/control/oauth2/clients"
            _ = try client.send(.post, clients, ["add": "other", "secret": "s", "allowed": false])
            let response = try client.token([Self.grant], basic: ("other", "s"))
            #expect(response.status == 400)
            #expect(response.json["error"] == "unauthorized_client")
            #expect(try client.send(.post, clients, ["remove": "other"]).json["clients"] == 1)
            #expect(try client.token([Self.grant], basic: ("other", "s")).status == 401)
            for malformed in [["add": "x"], ["add": "x", "secret": "s", "scope": "a"], ["remove": 7]] as [JSONValue] {
                #expect(try client.send(.post, clients, malformed).status == 400)
            }
        }
    }

    @Test("a token ends, and can be revoked; who shows none is not told of an error")
    func resource() throws {
        try Client.run { (client) throws in
            try client.behave("oauth2", ["lifetime_seconds": 1000])
            let tokens = try (0..<3).map { _ in try client.token([Self.grant], basic: Self.demo).accessToken }
            let revoke = "/control/oauth2/revoke"
            let first = try #require(tokens[0])
            #expect(try client.send(.post, revoke, ["token": .string(first)]).json["revoked"] == 1)
            let refused = try client.resource(first)
            #expect(refused.status == 401)
            #expect(refused.headers.first("WWW-Authenticate")?.contains("error=\"invalid_token\"") == true)
            #expect(try client.resource(nil).headers.first("WWW-Authenticate") == "Bearer realm=\"simulator\"")
            try client.behave("oauth2", ["clock_skew_seconds": 900])
            #expect(try client.resource(tokens[1]).status == 200)
            try client.behave("oauth2", ["clock_skew_seconds": 1000])
            #expect(try client.resource(tokens[1]).status == 401)
            try client.behave("oauth2", ["clock_skew_seconds": nil])
            #expect(try client.send(.post, revoke).json["revoked"] == 2)
            #expect(try client.resource(tokens[2]).status == 401)
        }
    }

    @Test("the general faults work here as everywhere")
    func faults() throws {
        try Client.run { (client) throws in
            func behaving(_ members: JSONValue) throws -> HTTPClientResponse {
                _ = try client.send(.delete, "/control/oauth2/behaviour")
                try client.behave("oauth2", members)
                return try client.token([Self.grant], basic: Self.demo)
            }
            let limited = try behaving(["status": 429, "retry_after": "9"])
            #expect(limited.status == 429)
            #expect(limited.headers.values("Retry-After") == ["9"])
            #expect(try behaving(["status": 503]).json["error"] == "temporarily_unavailable")
            #expect(try behaving(["error": "invalid_grant"]).json["error"] == "invalid_grant")
            #expect(try behaving(["status": 302, "location": "https://else.example/"]).status == 302)
            #expect(try behaving(["body_form": "truncated"]).text.hasPrefix("{\"access_token\":"))
            #expect(try behaving(["body_form": "bom"]).body.starts(with: [0xEF, 0xBB, 0xBF]))
            #expect(try behaving(["expires_at": "missing"]).json.object?["expires_in"] == nil)
            #expect(try behaving(["expires_at": "milliseconds"]).json["expires_in"] == 3_600_000)
            let same = try behaving(["same_token": true])
            #expect(try client.token([Self.grant], basic: Self.demo).accessToken == same.accessToken)
            #expect(try client.token([Self.grant, ("scope", "a")], basic: Self.demo).accessToken != same.accessToken)
        }
    }
}

extension Client {
    fileprivate func token(
        _ parameters: [(String, String)],
        basic: (id: String, secret: String)
    ) throws -> HTTPClientResponse {
        let joined = Self.encoded(basic.id) + ":" + Self.encoded(basic.secret)
        return try token(parameters, authorization: "Basic \(Base64.encoded(Array(joined.utf8)))")
    }

    fileprivate func token(
        _ parameters: [(String, String)],
        authorization: String? = nil
    ) throws -> HTTPClientResponse {
        let body = parameters.map { Self.encoded($0.0) + "=" + Self.encoded($0.1) }.joined(separator: "&")
        let headers =
            [("Content-Type", "application/x-www-form-urlencoded")]
            + (authorization.map { [("Authorization", $0)] } ?? [])
        return try exchange(.post, "/oauth2/token", headers, body: Array(body.utf8))
    }

    fileprivate func resource(_ token: String?) throws -> HTTPClientResponse {
        try exchange(.get, "/oauth2/resource", token.map { [("Authorization", "Bearer \($0)")] } ?? [])
    }

    /// As HTML forms write it: a space is a plus sign (RFC 6749 appendix B).
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: " "): "+"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }
}
