import Providers
import TestSupport
import Testing
import TokenBroker

@Suite("Kinds of providers", .blocking)
struct ProviderRegistryTests {
    @Test("have a name each, and an address over TLS where they have one")
    func kindsAreSound() {
        let kinds = ProviderRegistry.kinds
        #expect(!kinds.isEmpty)
        #expect(Set(kinds.map(\.name)).count == kinds.count)
        for kind in kinds {
            guard case .publicService(let address) = kind.address else { continue }
            #expect(address.hasPrefix("https://"))
            #expect(!address.hasSuffix("/"))
        }
    }

    @Test("have keys that can be told apart by their beginning, where they have one of their own")
    func prefixes() {
        let kinds = ProviderRegistry.kinds.filter { $0.secretPrefix != nil }
        for kind in kinds {
            let others = kinds.filter { $0.name != kind.name }
            for prefix in others.flatMap({ [$0.secretPrefix ?? ""] + $0.wrongSecretPrefixes }) {
                #expect(kind.secretPrefix?.hasPrefix(prefix) == false, "\(kind.name) and \(prefix)")
            }
        }
    }

    @Test("make a provider that mints through the sender it is given")
    func makesProvider() async throws {
        let definition = ProviderDefinition(
            name: "autocomplete",
            kind: "ai-autocomplete",
            baseURL: "https://api.ai-autocomplete.com",
            secret: "key",
            timeout: .seconds(10)
        )
        let sender = FakeSender(200, #"{"access_token":"at_v1_a","expires_at":1775464738}"#)
        let token = TokenDefinition(
            name: "search",
            provider: "autocomplete",
            options: Options(["product_id": "0d4c1a53-6f0e-4d0e-9f3a-5f6c0b1d2e3f"])
        )
        let mint = try await ProviderRegistry.makeProvider(definition, .fake(sender))
            .mint(MintRequest(token: token, secret: Secret("sk_v1_a".utf8)))
        #expect(mint.text == TokenText("at_v1_a"))
    }

    @Test("stop the program when the configuration let a kind through that does not exist")
    func unknownKind() async {
        await #expect(processExitsWith: .failure) {
            let definition = ProviderDefinition(
                name: "x",
                kind: "no-such-kind",
                baseURL: "https://example.com",
                secret: "key",
                timeout: .seconds(1)
            )
            _ = ProviderRegistry.makeProvider(definition, .fake(FakeSender(200, "")))
        }
    }
}
