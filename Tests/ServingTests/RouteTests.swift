import Glibc
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Routes", .blocking)
struct RouteTests {
    @Test("tells the scope that the provider granted")
    func scope() async throws {
        let harness = try Harness(.account([.open("web")], routes: [.route(.oauth2, .seconds)]))
        harness.provider.give(.token("text", scope: "read write"))
        #expect(try await harness.request("GET /routes/app").json?["scope"] == "read write")
    }

    @Test(
        "answer in the SDK's own JSON, with the provider's own instant",
        arguments: [
            (
                .aiAutocomplete, .seconds,
                ["access_token": "text", "expires_at": 1_775_003_600, "token_type": "Bearer"]
            ),
            (
                .aiAutocomplete, .milliseconds,
                ["access_token": "text", "expires_at": 1_775_003_600_000, "token_type": "Bearer"]
            ),
            (.roadie, .rfc3339, ["token": "text", "expires_at": "2026-04-01T00:33:20Z"]),
            (.appAIGateway, .seconds, ["access_token": "text", "expires_in": 3600]),
            (.oauth2, .seconds, ["access_token": "text", "token_type": "Bearer", "expires_in": 3600]),
        ] as [(RouteDefinition.Shape, RouteDefinition.ExpiryUnit, JSONValue)]
    )
    func shapes(
        _ shape: RouteDefinition.Shape,
        _ unit: RouteDefinition.ExpiryUnit,
        _ document: JSONValue
    ) async throws {
        let harness = try Harness(.account([.open("web")], routes: [.route(shape, unit)]))
        harness.provider.give(.token("text"))
        let answer = try await harness.request("GET /routes/app")
        #expect(answer.status == 200)
        #expect(answer.json == document)
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("ETag") == nil)
    }

    @Test("name the user for an SDK that wants to know")
    func endUser() async throws {
        let harness = try Harness(.perUser(.header("X-User")))
        harness.provider.give(.token("of-ann"))
        let answer = try await harness.request("GET /routes/app", ["X-User: ann"])
        #expect(answer.json?["token"] == "of-ann")
        #expect(answer.json?["end_user_id"] == "ann")
    }

    @Test("name the one user of a token that the configuration gives one")
    func fixedUser() async throws {
        let token = TokenDefinition.open("web", CredentialForm(fixedUser: "ann"))
        let harness = try Harness(.account([token], routes: [.route(.roadie, .rfc3339)]))
        harness.provider.give(.token("of-ann"))
        #expect(try await harness.request("GET /routes/app").json?["end_user_id"] == "ann")
    }

    @Test("take no user whose text is not clear")
    func unclearUser() async throws {
        let harness = try Harness(.perUser(.header("X-User")))
        for user in ["a\u{85}b", "a\u{9F}"] {
            #expect(try await harness.request("GET /routes/app", ["X-User: \(user)"]).status == 400)
        }
        #expect(harness.provider.started == 0)
    }

    @Test(
        "take the user from what the configuration names, once and not empty",
        arguments: [
            ("/routes/app", []), ("/routes/app?end_user=bob", []), ("/routes/app", ["X-User: "]),
            ("/routes/app", ["X-User: ann", "X-User: ann"]),
        ] as [(String, [String])]
    )
    func noUser(_ path: String, _ fields: [String]) async throws {
        let harness = try Harness(.perUser(.header("X-User")))
        let answer = try await harness.request("GET \(path)", fields)
        #expect(answer.status == 400)
        #expect(harness.provider.started == 0)
    }

    @Test("take the user from a query that the proxy sets", arguments: [("?u=ann&x=1", 200), ("?u=ann&u=bob", 400)])
    func query(_ query: String, _ status: Int) async throws {
        let harness = try Harness(.perUser(.query("u")))
        harness.provider.give(.token("of-ann"))
        #expect(try await harness.request("GET /routes/app\(query)").status == status)
    }

    @Test("keep at least the configured time on a token, whatever the request prefers")
    func minimum() async throws {
        let harness = try Harness(.account([.open("web")], routes: [.route(minimum: .seconds(60))]))
        try await harness.mintWeb("first", .after(.seconds(100)))
        await harness.advance(by: .seconds(45))
        harness.provider.give(.token("second"))
        let answer = try await harness.request(
            "GET /routes/app?min_ttl=0",
            ["Prefer: wait=0", "If-None-Match: *"]
        )
        #expect(answer.json?["access_token"] == "second")
    }

    @Test("give another token for one that the provider refused")
    func rejected() async throws {
        let harness = try Harness(.account([.open("web")], routes: [.route()]))
        harness.provider.give(.token("first"))
        _ = try await harness.request("GET /routes/app")
        harness.provider.give(.token("second"))
        let answer = try await harness.request("POST /routes/app/rejected", body: #"{"access_token":"first"}"#)
        #expect(answer.json?["access_token"] == "second")
        let named = try await harness.request(
            "POST /routes/app/rejected",
            body: #"{"access_token":"second","end_user":{"id":"ann"}}"#
        )
        #expect(named.status == 400)
    }

    @Test(
        "never say 401",
        arguments: [
            (.transient, 503), (.secretRejected, 502), (.userRefused, 403), (.untrusted, 502), (.quotaExhausted, 503),
        ] as [(FailureClass, Int)]
    )
    func failures(_ failure: FailureClass, _ status: Int) async throws {
        let harness = try Harness(.account([.open("web")], routes: [.route()]))
        harness.provider.give(.failure(failure))
        #expect(try await harness.request("GET /routes/app").status == status)
    }

    @Test("wait as long as the configuration says, and then say 503")
    func waits() async throws {
        let harness = try Harness(.account([.open("web")], routes: [.route(wait: .seconds(2))]))
        let client = try harness.connect()
        client.send(message("GET /routes/app", ["Prefer: wait=60"]))
        await harness.settle()
        await harness.advance(by: .milliseconds(2100))
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 503)
        #expect(answer.json?["code"] == "deadline_exceeded")
    }

    @Test("admit the token's peers, or those of their own grants instead")
    func grants() async throws {
        let mine = [Grant(user: geteuid(), surfaces: [.routes])]
        let others = [Grant(user: geteuid() + 1)]
        let opened = try Harness(.account([.closed("web")], routes: [.route(grants: mine)]))
        opened.provider.give(.token("first"))
        #expect(try await opened.request("GET /routes/app").status == 200)
        #expect(try await opened.request("GET /v1/tokens/web").status == 404)
        let closed = try Harness(.account([.open("web")], routes: [.route(grants: others)]))
        let refused = try await closed.request("GET /routes/app")
        #expect(refused.status == 404)
        #expect(refused.text == (try await closed.request("GET /routes/none")).text)
    }
}

extension RouteDefinition {
    static func route(
        _ shape: Shape = .aiAutocomplete,
        _ unit: ExpiryUnit = .seconds,
        minimum: Duration = .zero,
        wait: Duration = .seconds(5),
        user: UserSource? = nil,
        devices: DeviceMode? = nil,
        grants: [Grant]? = nil
    ) -> RouteDefinition {
        RouteDefinition(
            name: "app",
            token: "web",
            shape: shape,
            expiryUnit: unit,
            minimum: minimum,
            wait: wait,
            userSource: user,
            devices: devices,
            grants: grants
        )
    }
}

extension BrokerDefinition {
    fileprivate static func perUser(_ source: RouteDefinition.UserSource) -> BrokerDefinition {
        .account([.open("web", CredentialForm(user: .endUser))], routes: [.route(.roadie, .rfc3339, user: source)])
    }
}
