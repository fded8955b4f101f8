import Testing

@testable import TokenBroker

@Suite("What a token was minted from")
struct TokenOriginTests {
    /// A definition of the token `web`, which differs from ``original`` in one thing.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let definition: BrokerDefinition

        init(
            _ description: String = "",
            account: Name = "account",
            kind: String = "oauth2",
            baseURL: String = "https://provider.example",
            secret: Name = "key",
            client: String = "broker",
            scope: String = "a",
            audience: String = "b",
            isPerUser: Bool = false,
            timeout: Duration = .seconds(10),
            grants: [Grant] = []
        ) {
            testDescription = description
            let provider = ProviderDefinition(
                name: account,
                kind: kind,
                baseURL: baseURL,
                secret: secret,
                timeout: timeout,
                options: Options(["client_id": client])
            )
            let token = TokenDefinition(
                name: "web",
                provider: account,
                refresh: .onDemand,
                credential: CredentialForm(user: isPerUser ? .endUser : .none),
                grants: grants,
                options: Options(["scope": scope, "audience": audience])
            )
            definition = BrokerDefinition(
                secrets: ["key": Self.secret("key"), "other-key": Self.secret("other-key")],
                providers: [account: provider],
                tokens: ["web": token]
            )
        }

        private static func secret(_ name: Name) -> SecretDefinition {
            SecretDefinition(name: name, source: .file(path: "/nowhere"))
        }
    }

    private static let original = Change().definition
    private static let boot = BootID("boot-1")

    /// The token of the original definition, and the broker that serves it.
    private func minted() throws -> (Harness, RestoredState) {
        var engine = Harness(Self.original, hasStore: true)
        _ = engine.ask("web")
        engine.mint("one")
        #expect(engine.ask("web").asked.served == "one")
        let stamp = WriteStamp(bootID: Self.boot, writtenAt: engine.now.wall)
        let tokens = [Stamped(try #require(engine.saved.last), stamp)]
        return (engine, RestoredState(tokens: tokens, newestWrite: engine.now.wall))
    }

    private func served(_ definition: BrokerDefinition, after change: (inout Harness) -> Void) -> String? {
        var engine = Harness(definition, hasStore: true)
        change(&engine)
        engine.settle()
        return engine.ask("web").asked.served
    }

    @Test(
        "decides whether it is served after a reload, and after a restart",
        arguments: [
            Change("account", account: "another"), Change("kind", kind: "new-api"),
            Change("address", baseURL: "https://other.example"), Change("secret", secret: "other-key"),
            Change("client", client: "other"), Change("scope", scope: "a b"), Change("audience", audience: "c"),
            Change("users", isPerUser: true),
        ]
    )
    func another(_ change: Change) throws {
        var (engine, kept) = try minted()
        engine.table.reload(change.definition, at: engine.now)
        engine.settle()
        #expect(engine.ask("web").asked.served == nil)
        #expect(served(change.definition) { $0.table.restore(kept, bootID: Self.boot, at: $0.now) } == nil)
    }

    @Test(
        "is not who may have it, how long the provider may take, nor which version of the secret there is",
        arguments: [
            Change("nothing"), Change("grants", grants: [Grant(user: 1000)]), Change("timeout", timeout: .seconds(3)),
        ]
    )
    func same(_ change: Change) throws {
        var (engine, kept) = try minted()
        engine.table.reload(change.definition, at: engine.now)
        engine.table.keyChanged("key", to: SecretVersionNumber(2), at: engine.now)
        engine.settle()
        #expect(engine.ask("web").asked.served == "one")
        #expect(served(change.definition) { $0.table.restore(kept, bootID: Self.boot, at: $0.now) } == "one")
    }
}
