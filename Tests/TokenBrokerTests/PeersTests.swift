import Testing

@testable import TokenBroker

@Suite("Peers and grants")
struct PeersTests {
    let peer = Peer(pid: 42, uid: 1000, gid: 1000, supplementaryGroups: [44, 27])

    @Test("nobody is let in by default, root included")
    func nobody() {
        #expect(![Grant]().admit(peer, to: .tokens))
        #expect(![Grant]().admit(Peer(pid: 1, uid: 0, gid: 0), to: .tokens))
    }

    @Test("a user, a primary and a supplementary group let in")
    func conditions() {
        #expect([Grant(user: 1000)].admit(peer, to: .tokens))
        #expect([Grant(group: 1000)].admit(peer, to: .tokens))
        #expect([Grant(group: 27)].admit(peer, to: .tokens))
        #expect(![Grant(user: 27), Grant(group: 28)].admit(peer, to: .tokens))
    }

    @Test("keys of one entry must all hold, entries are alternatives")
    func combination() {
        #expect(![Grant(user: 1000, group: 28)].admit(peer, to: .tokens))
        #expect([Grant(user: 1, group: 27), Grant(user: 1000, group: 44)].admit(peer, to: .tokens))
    }

    @Test("a grant opens only the surfaces it names")
    func surfaces() {
        let grants = [Grant(user: 1000, surfaces: [.routes])]
        #expect(!grants.admit(peer, to: .tokens))
        #expect(grants.admit(peer, to: .routes))
    }
}

@Suite("Names and secrets")
struct NamesAndSecretsTests {
    @Test(
        "a name has its alphabet and length",
        arguments: ["a", "0", "web-1.prod_x", String(repeating: "a", count: 63)]
    )
    func names(_ text: String) {
        #expect(Name(text)?.text == text)
    }

    @Test(
        "what is no name is refused",
        arguments: ["", ".", "..", "-a", "_a", "A", "a b", "a/b", "ä", "a\u{0}", String(repeating: "a", count: 64)]
    )
    func notNames(_ text: String) {
        #expect(Name(text) == nil)
    }

    @Test("a secret never prints, whatever prints it")
    func redaction() {
        let secret = Secret("sk_v1_test_canary".utf8)
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(describing: secret), String(reflecting: secret), dumped, "\(token("canary"))"]
        {
            #expect(!text.contains("canary"))
        }
        #expect(secret == Secret("sk_v1_test_canary".utf8))
        #expect(secret != Secret("sk_v1_test_canarx".utf8))
        #expect(secret.hasPrefix("sk_v1_"))
        #expect(!secret.hasPrefix("sk_v1_test_canary_and_more"))
    }

    @Test(
        "a token's text is checked before it is held",
        arguments: ["", "a b", "a\n", "a\u{7f}", "ä", String(repeating: "a", count: 16385)]
    )
    func tokenText(_ text: String) {
        #expect(TokenText(text) == nil)
    }
}
