import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Forward auth", .blocking)
struct ForwardAuthTests {
    @Test("answers the headers as its own, for any method and below the path")
    func headers() async throws {
        let harness = try Harness()
        harness.provider.give(.token("at_v1_first"))
        let answer = try await harness.request("PATCH /v1/forward-auth/web/a/../b%2F//c?q=1")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Length") == "0")
        #expect(answer.header("Authorization") == "Bearer at_v1_first")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(seen(answer) == "PATCH /a/../b%2F//c?q=1 - - - alone")
    }

    @Test(
        "reads the original request where the proxy put it",
        arguments: [
            ["X-Forwarded-Method: POST", "X-Forwarded-Uri: /v1/x?y=1"],
            ["X-Original-Method: POST", "X-Original-URI: /v1/x?y=1"],
        ]
    )
    func original(_ fields: [String]) async throws {
        let harness = try Harness()
        harness.provider.give(.token("at_v1_first"))
        let answer = try await harness.request("GET /v1/forward-auth/web", fields + ["X-App-Version: 3.1"])
        #expect(seen(answer) == "POST /v1/x?y=1 - - 3.1 alone")
    }

    @Test("knows the body by its hash, by itself, or by there being none")
    func body() async throws {
        let form = CredentialForm(isSecret: true, signsBody: true)
        let harness = try Harness(.account([.open("key", form, reveals: true)]))
        harness.provider.give(.token("sk-key", .never))
        let whole = try await harness.request("POST /v1/forward-auth/key/v1/x", body: "abc")
        #expect(seen(whole)?.contains("ba7816bf") == true)
        let none = try await harness.request("GET /v1/forward-auth/key", ["X-Forwarded-Method: GET"])
        #expect(seen(none)?.contains(emptyDigest) == true)
        let hash = String(repeating: "ab", count: 32)
        let given = try await harness.request(
            "GET /v1/forward-auth/key",
            ["X-Forwarded-Method: POST", "X-Body-SHA256: \(hash)"]
        )
        #expect(seen(given)?.contains(hash) == true)
        let envoy = try await harness.request(
            "POST /v1/forward-auth/key",
            ["X-Envoy-Auth-Partial-Body: false"],
            body: ""
        )
        #expect(seen(envoy)?.contains(emptyDigest) == true)
    }

    @Test(
        "refuses to sign a body that it does not know",
        arguments: [
            (["X-Forwarded-Method: POST"], nil), ([], "abc"), (["X-Body-SHA256: 00"], "abc"),
        ] as [([String], String?)]
    )
    func unknownBody(_ fields: [String], _ part: String?) async throws {
        let form = CredentialForm(isSecret: true, signsBody: true)
        let harness = try Harness(.account([.open("key", form, reveals: true)]))
        let partial = part == nil ? [] : ["X-Envoy-Auth-Partial-Body: true"]
        let answer = try await harness.request("POST /v1/forward-auth/key", fields + partial, body: part)
        #expect(answer.status == 403)
        #expect(answer.header("Authorization") == nil)
    }

    @Test("takes the user from the one header that the token names")
    func user() async throws {
        let harness = try Harness(
            .account([.open("chat", CredentialForm(user: .endUser), endUserHeader: "X-User"), .open("web")])
        )
        harness.provider.give(.token("of-ann"))
        let answer = try await harness.request("GET /v1/forward-auth/chat?end_user=bob", ["X-User: ann"])
        #expect(answer.header("Authorization") == "Bearer of-ann")
        #expect(seen(answer)?.contains(" ann ") == true)
    }

    @Test(
        "says 401 where nobody is named, and 403 where it is not clear who",
        arguments: [([], 401), (["X-User: "], 401), (["X-User: ann", "X-User: bob"], 403)] as [([String], Int)]
    )
    func noUser(_ fields: [String], _ status: Int) async throws {
        let harness = try Harness(
            .account([.open("chat", CredentialForm(user: .endUser), endUserHeader: "X-User")])
        )
        let answer = try await harness.request("GET /v1/forward-auth/chat", fields)
        #expect(answer.status == status)
        #expect(answer.header("Authorization") == nil)
        #expect((answer.header("WWW-Authenticate") != nil) == (status == 401))
    }

    @Test("takes the issuer token out of the request and puts the provider's token in its place")
    func issuerToken() async throws {
        let form = CredentialForm(user: .issuerToken(header: "Authorization"))
        let harness = try Harness(.account([.open("gate", form)]))
        for fields in [[], ["Authorization: Bearer"], ["Authorization: Bearer "], ["Authorization: "]] {
            #expect(try await harness.request("GET /v1/forward-auth/gate", fields).status == 401)
        }
        harness.provider.give(.token("gateway-token"))
        let issuer = jwt(expiring: 1_775_003_600)
        let answer = try await harness.request("GET /v1/forward-auth/gate", ["Authorization: bearer \(issuer)"])
        #expect(answer.header("Authorization") == "Bearer gateway-token")
    }

    @Test("gets another credential in place of the one that the provider refused")
    func rejected() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        harness.provider.give(.token("at_v1_second"))
        let fields = ["X-Rejected-Authorization: Bearer at_v1_first"]
        let answer = try await harness.request("GET /v1/forward-auth/web", fields)
        #expect(answer.header("Authorization") == "Bearer at_v1_second")
        let again = try await harness.request("GET /v1/forward-auth/web", fields)
        #expect(again.header("Authorization") == "Bearer at_v1_second")
        #expect(harness.provider.started == 2)
    }

    @Test(
        "says 503 and when to come back for all that is the provider's fault",
        arguments: [
            .transient, .rateLimited, .quotaExhausted, .secretRejected, .requestRejected,
            .untrusted, .secretUnavailable, .sessionLost,
        ] as [FailureClass]
    )
    func providerFault(_ failure: FailureClass) async throws {
        let harness = try Harness()
        harness.provider.give(.failure(failure))
        let answer = try await harness.request("GET /v1/forward-auth/web")
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") != nil)
        #expect(answer.json?["code"]?.string == failure.code)
    }

    @Test("says when to come back although nobody knows: a provider that gives the refused token again")
    func sameAgain() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        harness.provider.give(.token("at_v1_first"))
        let answer = try await harness.request(
            "GET /v1/forward-auth/web",
            ["X-Rejected-Authorization: Bearer at_v1_first"]
        )
        #expect(answer.status == 503)
        #expect(answer.header("Retry-After") == "1")
        #expect(answer.header("Authorization") == nil)
    }

    @Test("says 403 for a user whom the provider refused, a stranger and a proof of another gateway")
    func forbidden() async throws {
        let harness = try Harness(
            .account([.open("chat", CredentialForm(user: .endUser), endUserHeader: "X-User"), .closed("other")])
        )
        harness.provider.give(.failure(.userRefused))
        let refused = try await harness.request("GET /v1/forward-auth/chat", ["X-User: ann"])
        #expect(refused.status == 403)
        #expect(try await harness.request("GET /v1/forward-auth/other").status == 403)
        #expect(try await harness.request("GET /v1/forward-auth/none").status == 403)
        let proof = try await harness.request(
            "GET /v1/forward-auth/chat",
            ["X-User: ann", "X-AppAttest-Proof: v1.1.n.a"]
        )
        #expect(proof.status == 403)
        #expect(proof.json?["code"] == "invalid_request")
    }

    @Test(
        "says 403 for what cannot be read as a request, once the path is known",
        arguments: [
            ("GET /v1/forward-auth/web HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "invalid_request"),
            ("GET /v1/forward-auth/web/a?b HTTP/1.1\r\nHost: localhost\n", "invalid_request"),
            ("GET /v1/forward-auth/web/é HTTP/1.1\r\n\r\n", "invalid_request"),
            (message("POST /v1/forward-auth/web", ["Content-Length: 65537"]), "payload_too_large"),
            (message("POST /v1/forward-auth/web", ["Transfer-Encoding: chunked"]) + "10001\r\n", "payload_too_large"),
            (message("GET /v1/forward-auth/web", ["X: " + String(repeating: "x", count: 17000)]), "headers_too_large"),
            ("GET /v1/forward-auth/web/" + String(repeating: "x", count: 17000), "headers_too_large"),
        ]
    )
    func unreadable(_ request: String, _ code: String) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(request)
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 403)
        #expect(answer.code == code)
        #expect(answer.json?["status"] == 403)
        #expect(answer.header("Connection") == "close")
        try await harness.ends(client)
    }

    @Test(
        "says 403 for a request that does not come in time",
        arguments: [
            "GET /v1/forward-auth/web HTTP/1.1\r\nHost:",
            message("POST /v1/forward-auth/web", ["Content-Length: 2"]) + "x",
        ]
    )
    func late(_ beginning: String) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(beginning)
        await harness.settle()
        await harness.advance(by: ServingLimits.requestDeadline)
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 403)
        #expect(answer.code == "invalid_request")
    }

    @Test("lets nothing of the request choose a wait or a lifetime")
    func choosesNothing() async throws {
        let harness = try Harness()
        try await harness.mintWeb("at_v1_first")
        let answer = try await harness.request(
            "GET /v1/forward-auth/web?min_ttl=100000",
            ["Prefer: wait=0", "If-None-Match: *"]
        )
        #expect(answer.status == 200)
        #expect(harness.provider.started == 1)
    }

    @Test("compares the path before the name as bytes", arguments: ["/v1/forward-auth//x", "/v1/forward-auth/we%62"])
    func path(_ path: String) async throws {
        #expect(try await Harness().request("GET \(path)").status == 404)
    }
}
