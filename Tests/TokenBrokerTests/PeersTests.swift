import Synchronization
import Testing

@testable import TokenBroker

/// A process that is as the test says, and counts how often it is looked at.
private final class FakeWitness: ProcessWitness {
    private let facts: PeerProcessFacts?
    private let count = Atomic(0)
    var looks: Int { count.load(ordering: .relaxed) }

    init(_ facts: PeerProcessFacts?) {
        self.facts = facts
    }

    func look() -> PeerProcessFacts? {
        count.add(1, ordering: .relaxed)
        return facts
    }
}

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

@Suite("Grants that look at the process")
struct ProcessGrantTests {
    private static let worker = ExecutableFile(device: 8, inode: 1)
    private static let other = ExecutableFile(device: 8, inode: 2)
    private let witness = FakeWitness(PeerProcessFacts(unit: "api.service", executable: Self.worker))
    private var peer: Peer { peer(witness) }

    private func peer(_ witness: (any ProcessWitness)?) -> Peer {
        Peer(pid: 42, uid: 1000, gid: 1000, process: witness)
    }

    @Test("a unit and a program let in, and only with every other condition of the entry")
    func conditions() {
        #expect([Grant(unit: "api.service")].admit(peer, to: .tokens))
        #expect([Grant(user: 1000, executable: Self.worker)].admit(peer, to: .tokens))
        #expect([Grant(group: 1000, unit: "api.service", executable: Self.worker)].admit(peer, to: .routes))
        #expect(![Grant(user: 1001, unit: "api.service")].admit(peer, to: .tokens))
        #expect(![Grant(unit: "api.service", surfaces: [.routes])].admit(peer, to: .tokens))
    }

    @Test(
        "a denial names what was missing in the nearest grant",
        arguments: [
            ([], .grant),
            ([Grant(user: 1)], .user),
            ([Grant(user: 1), Grant(user: 1000, group: 5)], .group),
            ([Grant(user: 1000, surfaces: [.routes]), Grant(user: 1)], .surface),
            ([Grant(unit: "other.service")], .unit),
            ([Grant(unit: "other.service", executable: other)], .unit),
            ([Grant(user: 1000, executable: other), Grant(unit: "other.service")], .executable),
            ([Grant(unit: "api.service", executable: ExecutableFile(device: 9, inode: 1))], .executable),
        ] as [([Grant], Denial)]
    )
    func denials(_ grants: [Grant], _ denial: Denial) {
        #expect(grants.denial(of: peer, to: .tokens) == denial)
    }

    @Test("a process that nobody looked at, or that is not what it was, fits no such grant")
    func unknownProcess() {
        let grants = [Grant(unit: "api.service"), Grant(user: 1000, executable: Self.worker)]
        #expect(grants.denial(of: peer(nil), to: .tokens) == .process)
        #expect(grants.denial(of: peer(FakeWitness(nil)), to: .tokens) == .process)
        #expect(grants.denial(of: peer(FakeWitness(PeerProcessFacts())), to: .tokens) == .executable)
    }

    @Test("the process is not looked at where the credentials decide")
    func looksOnlyWhereNeeded() {
        let grants = [Grant(unit: "api.service"), Grant(user: 1000)]
        #expect(grants.admit(peer, to: .tokens))
        #expect(![Grant(user: 1, unit: "api.service"), Grant(group: 5)].admit(peer, to: .tokens))
        #expect(witness.looks == 0)
    }

    @Test("each decision looks anew and once, or many share one look")
    func looksOnce() {
        let grants = [Grant(unit: "other.service"), Grant(unit: "third.service"), Grant(unit: "api.service")]
        #expect(grants.admit(peer, to: .tokens))
        #expect(grants.admit(peer, to: .tokens))
        #expect(witness.looks == 2)
        let seen = peer.seenOnce()
        #expect(grants.admit(seen, to: .tokens))
        #expect(grants.admit(seen, to: .routes))
        #expect(witness.looks == 3)
    }

    @Test("a definition knows whether any of its grants looks at processes")
    func definition() {
        func definition(_ grant: Grant) -> BrokerDefinition {
            BrokerDefinition(tokens: ["a": TokenDefinition(name: "a", provider: "p", grants: [grant])])
        }
        #expect(!definition(Grant(user: 1, group: 2)).looksAtProcesses)
        #expect(definition(Grant(unit: "api.service")).looksAtProcesses)
        #expect(definition(Grant(user: 1, executable: Self.worker)).looksAtProcesses)
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
