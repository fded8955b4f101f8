import Synchronization
import Testing

@testable import TokenBroker

@Suite("Proving a secret that an option of an account names")
struct SecretProofTests {
    private let clock = ManualClock()

    private func definition(tokens: [Name] = ["web"]) -> BrokerDefinition {
        let account = ProviderDefinition(
            name: "account",
            kind: "test",
            baseURL: "https://provider.test",
            secret: "key",
            timeout: .seconds(10),
            secretsByOption: ["session": "session"]
        )
        return BrokerDefinition(
            secrets: [
                "key": SecretDefinition(name: "key", source: .file(path: "/key")),
                "session": SecretDefinition(name: "session", source: .managed),
            ],
            providers: ["account": account],
            tokens: Dictionary(
                uniqueKeysWithValues: tokens.map { ($0, TokenDefinition(name: $0, provider: "account")) }
            )
        )
    }

    private func verdict(
        _ provider: OptionProvider,
        key: Secret? = Secret("k".utf8),
        tokens: [Name] = ["web"]
    ) async -> SecretVerdict {
        let secrets = SecretsInForce()
        if let key {
            secrets.put(.success(SecretsInForce.Key(key, version: SecretVersionNumber(7))), for: "key")
        } else {
            secrets.put(.failure(SecretProblem(.missing, "secret key: there is no such file")), for: "key")
        }
        let broker = Broker(
            Broker.Supply(definition(tokens: tokens), providers: ["account": provider], secrets: secrets),
            ports: Broker.Ports(clock: clock, observer: EventRecorder(), alarmChanged: {}),
            seed: 1
        )
        let value = SecretsInForce.Key(Secret("s".utf8), version: SecretVersionNumber(3))
        return await broker.prove(value, of: "session")
    }

    @Test("asks with the account's own key, says which option it is about, and keeps what was minted as that key's")
    func option() async throws {
        let provider = OptionProvider(clock)
        guard case .good(let proofs) = await verdict(provider) else { throw Unexpected() }
        #expect(provider.requests == ["k session=s verified=session"])
        #expect(proofs.map(\.key) == [TokenKey("web")])
        #expect(proofs.first?.mint.secretVersion == SecretVersionNumber(7))
        #expect(proofs.first?.origin == definition().origin(of: "web"))
    }

    @Test("says nothing of a value that nobody was asked about, because the account's own key is missing")
    func missingKey() async throws {
        let provider = OptionProvider(clock)
        guard case .unknown(let failure) = await verdict(provider, key: nil) else { throw Unexpected() }
        #expect(failure.failureClass == .secretUnavailable)
        #expect(provider.requests == [])
    }

    @Test("takes one that no token depends on")
    func unused() async throws {
        let provider = OptionProvider(clock)
        guard case .good(let proofs) = await verdict(provider, tokens: []) else { throw Unexpected() }
        #expect(proofs.isEmpty)
        #expect(provider.requests == [])
    }
}

private struct Unexpected: Error {}

/// Mints, and notes what it was asked to mint with.
private final class OptionProvider: Provider {
    private let clock: ManualClock
    private let asked = Mutex<[String]>([])

    init(_ clock: ManualClock) { self.clock = clock }

    var requests: [String] { asked.withLock { $0 } }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let options = request.secretsByOption.map { option, value in
            "\(option)=\((try? value.get().revealed) ?? "none")"
        }
        let text = "\(request.secret.revealed) \(options.joined()) verified=\(request.verifiedOption ?? "none")"
        asked.withLock { $0.append(text) }
        return Mint(text: token("t"), expiry: .after(.seconds(60)), requestedAt: clock.now())
    }
}
