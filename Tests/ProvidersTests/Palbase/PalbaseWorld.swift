import TokenBroker
import Upstream

@testable import Providers

/// What a broker's death leaves as it is: the clocks, the provider, and what the disk has.
final class PalbaseWorld: Sendable {
    static let publishableKey = "pb_demo_c0123456789abcdef"
    static let seed = "seed-canary-7be1"

    let clock = ManualClock()
    let provider: PalbaseModel
    let store: RecordStore
    let ledger: Ledger

    init(lifetime: Int64 = 1800) {
        provider = PalbaseModel(clock: clock, lifetime: lifetime)
        store = RecordStore(clock: clock)
        ledger = Ledger()
    }

    /// A broker that starts now.
    ///
    /// - Parameters:
    ///   - fate: when it dies.
    ///   - bootID: the boot that it runs in.
    func broker(
        _ account: Name = "palbase",
        fate: Fate = Fate(),
        sender: (any HTTPSender)? = nil,
        bootID: BootID? = BootID("boot-1")
    ) -> Broker {
        let definition = ProviderDefinition(
            name: account,
            kind: "palbase",
            baseURL: "https://demo.palbase.studio",
            secret: "key",
            timeout: .seconds(10),
            options: Options(["project": "demo", "session": "seed"])
        )
        let ports = ProviderPorts(
            sender: MortalSender(fate: fate, sender: sender ?? provider),
            clock: clock,
            store: MortalStore(fate: fate, store: store),
            seeds: MortalLedger(fate: fate, ledger: ledger),
            bootID: bootID
        )
        return Broker(provider: PalbaseProvider(definition, ports), model: provider)
    }

    struct Broker: Sendable {
        let provider: PalbaseProvider
        let model: PalbaseModel

        /// Mints a token as the engine has it done.
        func mint(
            seed: String? = PalbaseWorld.seed,
            key: String = PalbaseWorld.publishableKey,
            isForced: Bool = false
        ) async throws(MintFailure) -> Mint {
            let mint = try await provider.mint(request(seed, key, isForced: isForced))
            model.noteServed(mint.text)
            return mint
        }

        /// Puts a seed to the test that is not in force.
        func verify(
            seed: String,
            key: String = PalbaseWorld.publishableKey
        ) async throws(MintFailure) -> Mint? {
            try await provider.verify(request(seed, key, isForced: true, verifiedOption: "session"))
        }

        /// Puts a key to the test that is not in force, beside a session.
        func verify(key: String) async throws(MintFailure) -> Mint? {
            try await provider.verify(request(PalbaseWorld.seed, key, isForced: true))
        }

        private func request(
            _ seed: String?,
            _ key: String,
            isForced: Bool,
            verifiedOption: String? = nil
        ) -> MintRequest {
            let problem = SecretProblem(.missing, "secret seed: there is no such file")
            return MintRequest(
                token: TokenDefinition(name: "web", provider: "palbase"),
                secret: Secret(key.utf8),
                secretsByOption: ["session": seed.map { .success(Secret($0.utf8)) } ?? .failure(problem)],
                isForced: isForced,
                verifiedOption: verifiedOption
            )
        }

        /// The failure that a mint must end with.
        func failure(
            seed: String? = PalbaseWorld.seed,
            key: String = PalbaseWorld.publishableKey
        ) async -> MintFailure? {
            do {
                _ = try await mint(seed: seed, key: key)
                return nil
            } catch {
                return error
            }
        }
    }
}
