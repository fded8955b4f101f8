import Configuration
import Testing
import TokenBroker

@Suite("Options of kinds")
struct KindOptionTests {
    private static let head = "secrets: { key: { file: /k }, seed: { file: /s } }\n"

    @Test("are read by their types, and tell what the tokens are")
    func read() throws {
        let definition = try load(
            Self.head + """
                providers:
                  p:
                    kind: varied
                    project: abc
                    secret: key
                    session: seed
                    app_identifier: com.example.app
                    headers: { X-One: "1", X-Two: two words }
                tokens:
                  t:
                    provider: p
                    scopes: [ai.chat, ai.embed]
                    ttl: 10m
                    from: X-From
                    end_user_header: X-User
                    allow: [{ user: api }]
                """
        ).definition
        let provider = try #require(definition.providers["p"])
        #expect(provider.baseURL == "https://abc.example")
        #expect(provider.secretsByOption == ["session": "seed"])
        #expect(
            provider.decoration
                == RequestDecoration(
                    appIdentifier: "com.example.app",
                    headers: [CredentialHeader("X-One", "1"), CredentialHeader("X-Two", "two words")]
                )
        )
        #expect(provider.pace?.limit == 5)
        let token = try #require(definition.tokens["t"])
        #expect(token.options["scopes"] == "ai.chat ai.embed")
        #expect(token.options["ttl"] == "600")
        #expect(token.endUserHeader == "X-User")
        #expect(token.quotaCodes == ["spent"])
        #expect(token.credential == CredentialForm())
    }

    @Test("decide what a token may set")
    func credential() throws {
        let definition = try load(
            Self.head + """
                providers: { p: { kind: varied, project: abc, secret: key, user: each, base_url: "https://x.example" } }
                tokens: { t: { provider: p, reveal_secret: true, allow: [{ user: api }] } }
                """
        ).definition
        #expect(definition.providers["p"]?.baseURL == "https://x.example")
        #expect(definition.tokens["t"]?.credential == CredentialForm(isSecret: true, user: .endUser))
        #expect(definition.tokens["t"]?.refresh == .onDemand)
        #expect(definition.tokens["t"]?.revealsSecret == true)
    }

    @Test(
        "refuse what is not of their type",
        arguments: [
            ("session: nobody", "", "providers.p.session: no secret 'nobody'"),
            ("project: forbidden", "", "providers.p: needs another 'project'"),
            ("headers: { Authorization: x }", "", "providers.p.headers.Authorization: is not a header to set here"),
            ("headers: { 'a b': x }", "", "not a header's name"),
            ("headers: { X-A: 'é' }", "", "has a character that a header cannot carry"),
            ("headers: { X-A: a, x-a: b }", "", "providers.p.headers.x-a: is there already"),
            ("user: none", "from: X-From", "tokens.t: from: goes with user: each only"),
            ("user: each", "refresh: ahead", "tokens.t.refresh: each user has a token"),
            ("", "scopes: []", "names nothing"), ("", "scopes: [a b]", "a word has a space in it"),
            ("", "ttl: 2h", "expected a duration from 1s to 1h"), ("", "from: 'a b'", "expected a header's name"),
            ("", "end_user_header: X-Original-URI", "is not a header for the end user"),
            ("session: seed", "reveal_secret: true", "this token is no long-lived secret"),
            ("", "reveal_secret: yes", "expected one of true, false"),
        ]
    )
    func refuse(_ provider: String, _ token: String, _ complaint: String) {
        let lines = complaints(
            Self.head + """
                providers:
                  p:
                    kind: varied
                    secret: key
                    \(provider.contains("project") ? "" : "project: abc")
                    \(provider)
                tokens:
                  t:
                    provider: p
                    allow: [{ user: api }]
                    \(token)
                """
        )
        #expect(lines.count == 1)
        #expect(lines.first?.contains(complaint) == true, "\(lines)")
    }

    @Test("let one block alone spend a secret that can be spent once, whichever file it is in")
    func singleUse() {
        let one = "{ kind: varied, project: abc, secret: key, session: seed }"
        let main = Self.head + "providers: { first: \(one) }\n"
        let other = "providers: { other: { kind: varied, project: b, secret: seed } }"
        #expect(complaints(main, dropIns: ["a.yaml": other]).isEmpty)
        let lines = complaints(main, dropIns: ["a.yaml": "providers: { second: \(one) }"])
        #expect(lines.count == 1)
        let complaint = "a.yaml:1:14: providers.second: session: the provider first spends"
        #expect(lines.first?.contains(complaint) == true, "\(lines)")
    }
}
