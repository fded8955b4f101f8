internal import Configuration
internal import TokenBroker

/// The long-lived keys as their files give them, each refused where it is recognisably not of the kind that its providers
/// take.
struct JudgedSecrets: SecretSource {
    private let files: SecretFileSource
    private let kinds: [Name: [ProviderKind]]
    /// Of the key APIs that a secret is for.
    private let managedKinds: [Name: [ProviderKind]]

    init(_ files: SecretFileSource, for definition: BrokerDefinition) {
        self.files = files
        let accounts = definition.providers.values
        kinds = Dictionary(grouping: accounts, by: \.secret).mapValues(Self.kinds)
        let managed = accounts.compactMap { account in account.management.map { ($0, account) } }
        managedKinds = Dictionary(grouping: managed, by: \.0).mapValues { Self.kinds(of: $0.map(\.1)) }
    }

    private static func kinds(of accounts: [ProviderDefinition]) -> [ProviderKind] {
        Supplies.kinds.filter { kind in accounts.contains { $0.kind == kind.name } }
    }

    func read(_ definition: SecretDefinition) throws(SecretProblem) -> Secret {
        let secret = try files.read(definition)
        try judge(secret, for: definition)
        return secret
    }

    func judge(_ value: Secret, for definition: SecretDefinition) throws(SecretProblem) {
        let known = Supplies.kinds
        for kind in kinds[definition.name] ?? [] {
            if let problem = kind.problem(with: value, of: definition, among: known) { throw problem }
        }
        for kind in managedKinds[definition.name] ?? [] {
            if let problem = kind.managementProblem(with: value, of: definition, among: known) { throw problem }
        }
    }
}
