public import TokenBroker

/// The kinds of providers there are. A new one is a folder beside this file and a line in `entries`.
public enum ProviderRegistry {
    private struct Entry: Sendable {
        let kind: ProviderKind
        let make: @Sendable (ProviderDefinition, ProviderPorts) -> any Provider
    }

    private static let entries = [
        Entry(kind: AIAutocompleteProvider.kind) { AIAutocompleteProvider(sender: $1.sender) },
        Entry(kind: AppAIGatewayProvider.kind) { AppAIGatewayProvider($0, $1) },
        Entry(kind: NewAPIProvider.kind) { NewAPIProvider($0, $1) },
        Entry(kind: OAuth2Provider.kind) { OAuth2Provider($0, sender: $1.sender) },
        Entry(kind: RoadieProvider.kind) { RoadieProvider(sender: $1.sender) },
        Entry(kind: PalbaseProvider.kind) { PalbaseProvider($0, $1) },
    ]

    /// What the configuration checks a provider's block against.
    public static let kinds: [ProviderKind] = entries.map(\.kind)

    /// Makes the provider for one account.
    ///
    /// - Precondition: the definition's kind is one of ``kinds``; the configuration has checked it.
    public static func makeProvider(_ definition: ProviderDefinition, _ ports: ProviderPorts) -> any Provider {
        guard let entry = entries.first(where: { $0.kind.name == definition.kind }) else {
            preconditionFailure("not a kind of provider: \(definition.kind)")
        }
        return entry.make(definition, ports)
    }
}
