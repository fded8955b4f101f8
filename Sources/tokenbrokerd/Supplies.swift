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
    private var providers: [ProviderDefinition: any Provider] = [:]

    init(client: UpstreamClient, clock: any HostClock, store: OpenStore?) {
        self.client = client
        self.clock = clock
        self.store = store
    }

    func make(_ definition: BrokerDefinition, secrets: SecretsInForce) -> Broker.Supply {
        var kept: [ProviderDefinition: any Provider] = [:]
        for account in definition.providers.values {
            kept[account] = providers[account] ?? provider(account)
        }
        providers = kept
        return Broker.Supply(
            definition,
            providers: definition.providers.compactMapValues { kept[$0] },
            secrets: secrets
        )
    }

    private func provider(_ account: ProviderDefinition) -> any Provider {
        let ports = ProviderPorts(
            sender: client.pool(for: UpstreamSettings(account)),
            clock: clock,
            store: store?.memory.store,
            seeds: store?.seeds,
            bootID: store?.bootID
        )
        return ProviderRegistry.makeProvider(account, ports)
    }
}

extension UpstreamSettings {
    init(_ account: ProviderDefinition) {
        self.init(baseURL: account.baseURL, timeout: account.timeout, trust: account.trust)
    }
}
