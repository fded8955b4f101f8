internal import Configuration
internal import Providers
internal import TokenBroker
internal import Upstream

/// Makes what a definition needs to mint with, and keeps the connections of accounts that a reload did not change.
final class Supplies {
    static let kinds = ProviderRegistry.kinds

    private let client: UpstreamClient
    private let clock: any HostClock
    private let store: OpenStore?
    private let secrets: SecretFileSource
    private var providers: [ProviderDefinition: any Provider] = [:]
    /// The values as they were when the definition in force was taken.
    private var values: [Name: Secret] = [:]

    init(client: UpstreamClient, clock: any HostClock, store: OpenStore?, secrets: SecretFileSource) {
        self.client = client
        self.clock = clock
        self.store = store
        self.secrets = secrets
    }

    /// Reads the secrets of `definition` as they are now.
    ///
    /// - Returns: those whose value is another than it was the last time.
    func changedSecrets(in definition: BrokerDefinition) -> Set<Name> {
        let present = definition.secrets.compactMapValues { try? secrets.read($0) }
        defer { values = present }
        return Set(present.keys.filter { values[$0] != present[$0] })
    }

    func make(_ definition: BrokerDefinition) -> Broker.Supply {
        var kept: [ProviderDefinition: any Provider] = [:]
        for account in definition.providers.values {
            kept[account] = providers[account] ?? provider(account)
        }
        providers = kept
        return Broker.Supply(
            definition,
            providers: definition.providers.compactMapValues { kept[$0] },
            secrets: KeyRing(files: secrets, definition: definition)
        )
    }

    private func provider(_ account: ProviderDefinition) -> any Provider {
        let settings = UpstreamSettings(baseURL: account.baseURL, timeout: account.timeout, trust: account.trust)
        let ports = ProviderPorts(
            sender: client.pool(for: settings),
            clock: clock,
            store: store?.memory.store,
            seeds: store?.seeds,
            bootID: store?.bootID
        )
        return ProviderRegistry.makeProvider(account, ports)
    }
}

/// The long-lived keys, each refused where it is recognisably not of the kind that its providers take.
private struct KeyRing: SecretSource {
    let files: SecretFileSource
    private let kinds: [Name: [ProviderKind]]

    init(files: SecretFileSource, definition: BrokerDefinition) {
        self.files = files
        kinds = Dictionary(grouping: definition.providers.values, by: \.secret).mapValues { accounts in
            Supplies.kinds.filter { kind in accounts.contains { $0.kind == kind.name } }
        }
    }

    func read(_ definition: SecretDefinition) throws(SecretProblem) -> Secret {
        let secret = try files.read(definition)
        for kind in kinds[definition.name] ?? [] {
            if let problem = kind.problem(with: secret, of: definition) { throw problem }
        }
        return secret
    }
}
