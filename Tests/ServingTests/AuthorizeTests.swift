import Digests
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Authorize", .blocking)
struct AuthorizeTests {
    @Test("answers every header that the request needs, and when they end")
    func headers() async throws {
        let decoration = RequestDecoration(
            appIdentifier: "com.example",
            headers: [CredentialHeader("X-Extra", "1"), CredentialHeader("x-seen", "mine")]
        )
        let harness = try Harness(.account([.open("web")], decoration: decoration))
        harness.provider.give(.token("at_v1_first"))
        let answer = try await harness.request(
            "POST /v1/authorize/web",
            body: #"{"method":"POST","url":"https://PROVIDER.example:443/v1/x?q=1","app_version":"1.2"}"#
        )
        #expect(
            answer.json == [
                "headers": [
                    "Authorization": "Bearer at_v1_first", "X-Seen": "POST /v1/x?q=1 - - 1.2 alone",
                    "X-App-Identifier": "com.example", "X-Extra": "1",
                ],
                "expires_at": 1_775_003_600,
            ]
        )
        #expect(answer.header("Cache-Control") == "no-store")
    }

    @Test("asks for the body where it is signed, and not where there is none")
    func signsBody() async throws {
        let form = CredentialForm(isSecret: true, signsBody: true)
        let harness = try Harness(.account([.open("key", form, reveals: true)]))
        let refused = try await harness.request("POST /v1/authorize/key", body: #"{"method":"POST","url":"/v1/x"}"#)
        #expect(refused.status == 403)
        #expect(refused.json?["code"] == "body_required")
        harness.provider.give(.token("sk-key", .never))
        let bodiless = try await harness.request("POST /v1/authorize/key", body: #"{"method":"GET","url":"/v1/x"}"#)
        #expect(seen(bodiless)?.hasPrefix("GET /v1/x e3b0c442") == true)
        let digest = String(repeating: "Ab", count: 32)
        let hashed = try await harness.request(
            "POST /v1/authorize/key",
            body: #"{"method":"POST","url":"/v1/x","body_sha256":"\#(digest)"}"#
        )
        #expect(seen(hashed)?.hasPrefix("POST /v1/x abababab") == true)
        let whole = try await harness.request(
            "POST /v1/authorize/key",
            body: #"{"method":"POST","url":"/v1/x","body":"{\"a\":\"\u00e9\"}"}"#
        )
        let own = Hexadecimal.text(SHA256.digest(of: Array(#"{"a":"é"}"#.utf8)))
        #expect(seen(whole)?.hasPrefix("POST /v1/x \(own) ") == true)
    }

    @Test("names the user beside a shared credential")
    func namesUser() async throws {
        let form = CredentialForm(isSecret: true, user: .named)
        let harness = try Harness(.account([.open("key", form, reveals: true)]))
        #expect(try await harness.request("POST /v1/authorize/key", body: "{}").status == 400)
        harness.provider.give(.token("agw_key", .never))
        let answer = try await harness.request("POST /v1/authorize/key", body: #"{"end_user":{"id":"ann"}}"#)
        #expect(seen(answer) == "GET - \(emptyDigest) ann - alone")
        let fault = try await harness.request("POST /v1/authorize/key", body: #"{"end_user":{"id":"unspeakable"}}"#)
        #expect(fault.status == 400)
        #expect(fault.json?["detail"] == "the user cannot be spoken of")
    }

    @Test("gives the provider its key where that goes along")
    func accompanied() async throws {
        let harness = try Harness(.account([.open("session", CredentialForm(accompaniesSecret: true))]))
        harness.provider.give(.token("access"))
        let answer = try await harness.request("POST /v1/authorize/session", body: "{}")
        #expect(seen(answer)?.hasSuffix("with key") == true)
    }

    @Test(
        "refuses what it cannot take whole",
        arguments: [
            #"{"url":"https://elsewhere.example/x"}"#, #"{"url":"//elsewhere.example/x"}"#,
            #"{"url":"http://provider.example/x"}"#, #"{"url":"https://provider.example.evil/x"}"#,
            #"{"url":"https://a@provider.example/x"}"#, #"{"url":"x"}"#, #"{"url":"/a b"}"#, #"{"url":"/a\\b"}"#,
            #"{"url":"/a#b"}"#, #"{"method":"get"}"#, #"{"method":1}"#, #"{"body_sha256":"00"}"#,
            #"{"body":{}}"#, #"{"body":"","body_sha256":"\#(emptyDigest)"}"#,
            #"{"body_sha256":"\#(emptyDigest)","body":""}"#,
            #"{"app_version":""}"#, #"{"app_version":"1 2"}"#, #"{"other":"x"}"#, #"{"end_user":{"id":"ann"}}"#, "[]",
        ]
    )
    func malformed(_ body: String) async throws {
        let harness = try Harness()
        let answer = try await harness.request("POST /v1/authorize/web", body: body)
        #expect(answer.status == 400)
        #expect(harness.provider.started == 0)
    }

    @Test(
        "says which parameters it knows where one is none of them, whatever is in it",
        arguments: [#""min_ttl":60"#, #""other":"x""#, #""other":{}"#]
    )
    func unknownParameter(_ parameter: String) async throws {
        let answer = try await Harness().request("POST /v1/authorize/web", body: "{\(parameter)}")
        let known = "method, url, body, body_sha256, app_version, end_user and issuer_token"
        #expect(
            answer.json?["detail"]?.string
                == "there is a parameter that this version does not know; it knows \(known)"
        )
        let text = try await Harness().request("POST /v1/authorize/web", body: #"{"method":1}"#)
        #expect(text.json?["detail"] == "method is not a text")
    }

    @Test("is for those whom a grant lets in there, and looks to others as if there were no such token")
    func grants() async throws {
        let harness = try Harness(.account([.open("web", CredentialForm(), surfaces: [.tokens])]))
        let closed = try await harness.request("POST /v1/authorize/web", body: "{}")
        let missing = try await harness.request("POST /v1/authorize/none", body: "{}")
        #expect(closed.status == 404)
        #expect(closed.text == missing.text)
    }
}

let emptyDigest = Hexadecimal.text(SHA256.digest(of: []))

/// What the provider was told of the request.
func seen(_ answer: Answer) -> String? {
    answer.json?["headers"]?["X-Seen"]?.string ?? answer.header("X-Seen")
}
