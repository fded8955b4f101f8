internal import Configuration
internal import TokenBroker

/// The long-lived keys as their files give them, each refused where it is recognisably not of the kind that its providers
/// take.
struct JudgedSecrets: SecretSource {
    private let files: SecretFileSource
    private let kinds: [Name: [ProviderKind]]

    init(_ files: SecretFileSource, for definition: BrokerDefinition) {
        self.files = files
        kinds = Dictionary(grouping: definition.providers.values, by: \.secret).mapValues { accounts in
            Supplies.kinds.filter { kind in accounts.contains { $0.kind == kind.name } }
        }
    }

    func read(_ definition: SecretDefinition) throws(SecretProblem) -> Secret {
        let secret = try files.read(definition)
        try judge(secret, for: definition)
        return secret
    }

    func judge(_ value: Secret, for definition: SecretDefinition) throws(SecretProblem) {
        for kind in kinds[definition.name] ?? [] {
            if let problem = kind.problem(with: value, of: definition) { throw problem }
        }
    }
}
