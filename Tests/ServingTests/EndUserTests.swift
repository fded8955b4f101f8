import Digests
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Tokens of end users over the socket", .blocking)
struct EndUserTests {
    @Test("are each user's own, by GET and by POST")
    func perUser() async throws {
        let harness = try Harness(.account([.open("chat", CredentialForm(user: .endUser))]))
        harness.provider.give(.token("of-ann"))
        let first = try await harness.request("GET /v1/tokens/chat?end_user=ann")
        #expect(first.json?["access_token"] == "of-ann")
        let again = try await harness.request("POST /v1/tokens/chat", body: #"{"end_user":{"id":"ann"}}"#)
        #expect(again.json?["access_token"] == "of-ann")
        harness.provider.give(.token("of-ann-pro"))
        let other = try await harness.request(
            "POST /v1/tokens/chat",
            body: #"{"end_user":{"id":"ann","plan":"pro","attributes":{"age":7}}}"#
        )
        #expect(other.json?["access_token"] == "of-ann-pro")
        #expect(harness.provider.started == 2)
    }

    @Test(
        "need a user that can be one",
        arguments: ["", "?end_user=", "?end_user=a%00b", "?end_user=" + String(repeating: "x", count: 257)]
    )
    func needsUser(_ query: String) async throws {
        let harness = try Harness(.account([.open("chat", CredentialForm(user: .endUser))]))
        let answer = try await harness.request("GET /v1/tokens/chat\(query)")
        #expect(answer.status == 400)
        #expect(answer.json?["code"] == "invalid_request")
        #expect(harness.provider.started == 0)
    }

    @Test(
        "are told apart by their bytes, however alike the users look",
        arguments: [("K", "\u{212A}"), ("\u{C5}", "A\u{30A}"), (";", "\u{37E}")]
    )
    func lookalikes(_ one: String, _ other: String) async throws {
        let harness = try Harness(.account([.open("chat", CredentialForm(user: .endUser))]))
        for (user, token) in [(one, "of-one"), (other, "of-other")] {
            harness.provider.give(.token(token))
            let answer = try await harness.request("POST /v1/tokens/chat", body: #"{"end_user":{"id":"\#(user)"}}"#)
            #expect(answer.json?["access_token"]?.string == token)
        }
        #expect(harness.provider.started == 2)
    }

    @Test("a shared token takes no user, and null is none")
    func sharedTakesNone() async throws {
        let harness = try Harness()
        #expect(try await harness.request("GET /v1/tokens/web?end_user=ann").status == 400)
        harness.provider.give(.token("first"))
        let body = #"{"end_user":null,"issuer_token":null}"#
        #expect(try await harness.request("POST /v1/tokens/web", body: body).status == 200)
    }

    @Test("are minted from an issuer token and found by the whole of it")
    func issuerToken() async throws {
        let harness = try Harness(.account([.open("gate", .gateway)]))
        harness.provider.give(.token("gateway-token"))
        let issuer = jwt(expiring: 1_775_000_000 + 3600)
        for _ in 0..<2 {
            let answer = try await harness.request("POST /v1/tokens/gate", body: #"{"issuer_token":"\#(issuer)"}"#)
            #expect(answer.json?["access_token"] == "gateway-token")
        }
        harness.provider.give(.token("other-gateway-token"))
        let other = try await harness.request("POST /v1/tokens/gate", body: #"{"issuer_token":"\#(issuer)x"}"#)
        #expect(other.json?["access_token"] == "other-gateway-token")
    }

    @Test("are used no longer than the issuer token they are from")
    func endsWithIssuerToken() async throws {
        let harness = try Harness(.account([.open("gate", .gateway)]))
        harness.provider.give(.token("gateway-token"))
        let body = #"{"issuer_token":"\#(jwt(expiring: 1_775_000_000 + 600))"}"#
        let answer = try await harness.request("POST /v1/tokens/gate", body: body)
        #expect(answer.json?["expires_in"] == 600)
        await harness.advance(by: .seconds(600))
        let late = try await harness.request("POST /v1/tokens/gate", body: body)
        #expect(late.status == 403)
        #expect(late.json?["provider_code"] == "issuer_token_rejected")
        #expect(harness.provider.started == 1)
    }

    @Test("a visibly ended or an impossible issuer token is refused without a call")
    func refusesWithoutACall() async throws {
        let harness = try Harness(.account([.open("gate", .gateway)]))
        for (token, status) in [
            (jwt(expiring: 1_774_999_999), 403), (String(repeating: "x", count: 16 * 1024 + 1), 400), ("a b", 400),
        ] {
            let answer = try await harness.request("POST /v1/tokens/gate", body: #"{"issuer_token":"\#(token)"}"#)
            #expect(answer.status == status)
        }
        #expect(harness.provider.started == 0)
    }

    @Test("a report with a code of the quota kind drops the token and forces no mint")
    func quota() async throws {
        let harness = try Harness(.account([.open("chat", CredentialForm(user: .endUser))]))
        harness.provider.give(.token("first"))
        _ = try await harness.request("GET /v1/tokens/chat?end_user=ann")
        let answer = try await harness.request(
            "POST /v1/tokens/chat/rejected",
            body: #"{"access_token":"first","provider_code":"insufficient_quota","end_user":{"id":"ann"}}"#
        )
        #expect(answer.status == 503)
        #expect(answer.json?["code"] == "provider_quota_exhausted")
        #expect(harness.provider.started == 1)
        harness.provider.give(.token("second"))
        let next = try await harness.request("GET /v1/tokens/chat?end_user=ann")
        #expect(next.json?["access_token"] == "second")
    }
}

@Suite("A credential that is the long-lived key", .blocking)
struct RevealedSecretTests {
    private static let form = CredentialForm(isSecret: true)

    @Test("is for nobody unless its token says so", arguments: ["tokens", "authorize", "forward-auth"])
    func hidden(_ surface: String) async throws {
        let harness = try Harness(.account([.open("key", Self.form)]))
        let answer = try await harness.request("POST /v1/\(surface)/key", body: "{}")
        #expect(answer.status == 403)
        #expect(answer.json?["code"] == "secret_not_for_peers")
        #expect(harness.provider.started == 0)
    }

    @Test("has no end")
    func endless() async throws {
        let harness = try Harness(.account([.open("key", Self.form, reveals: true)]))
        harness.provider.give(.token("agw_key", .never))
        let answer = try await harness.request("GET /v1/tokens/key")
        #expect(answer.json?["access_token"] == "agw_key")
        for member in ["expires_at", "expires_at_ms", "expires_in", "refresh_at"] {
            #expect(answer.json?[member] == .null)
        }
        let authorization = try await harness.request("POST /v1/authorize/key", body: "{}")
        #expect(authorization.json?["expires_at"] == .null)
        await harness.advance(by: .seconds(400 * 86400))
        #expect(try await harness.request("GET /v1/tokens/key").status == 200)
        #expect(harness.provider.started == 1)
    }

    @Test("reported as refused is proven, and not stale where the provider takes it")
    func notStale() async throws {
        let harness = try Harness(.account([.open("key", Self.form, reveals: true)]))
        harness.provider.give(.token("agw_key", .never))
        _ = try await harness.request("GET /v1/tokens/key")
        harness.provider.give(.token("agw_key", .never))
        let report = #"{"access_token":"agw_key"}"#
        let answer = try await harness.request("POST /v1/tokens/key/rejected", body: report)
        #expect(answer.status == 409)
        #expect(answer.json?["code"] == "token_not_stale")
        harness.provider.give(.failure(.secretRejected))
        let refused = try await harness.request("POST /v1/tokens/key/rejected", body: report)
        #expect(refused.status == 502)
        #expect(try await harness.request("GET /v1/tokens/key").status == 502)
    }
}

/// A token that looks like a JWT with this end.
func jwt(expiring end: Int64) -> String {
    let claims = Base64.text(Array(#"{"sub":"ann","exp":\#(end)}"#.utf8)).filter { $0 != "=" }
    return "eyJhbGciOiJFUzI1NiJ9.\(claims).c2lnbmF0dXJl"
}

extension CredentialForm {
    fileprivate static let gateway = CredentialForm(user: .issuerToken(header: "Authorization"))
}
