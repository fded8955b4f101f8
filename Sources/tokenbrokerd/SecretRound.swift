internal import Configuration
internal import Serving
internal import TokenBroker

/// Looks at every secret: its file or credential as it is now, which may be worse than the value in force.
struct SecretRound {
    private let files: SecretFileSource
    private let inForce: SecretsInForce

    init(_ files: SecretFileSource, _ inForce: SecretsInForce) {
        self.files = files
        self.inForce = inForce
    }

    /// - Returns: what became of it, by the secrets' names.
    func run(_ definition: BrokerDefinition) -> [Examination.Secret] {
        let source = JudgedSecrets(files, for: definition)
        return definition.secrets.values.sorted { $0.name < $1.name }.map { secret in
            do throws(SecretProblem) {
                if secret.source == .managed {
                    _ = try inForce.key(secret.name)
                } else {
                    _ = try source.read(secret)
                }
                return Examination.Secret(name: secret.name, fault: nil)
            } catch {
                let remedy = error.remedy ?? files.replacement(of: secret)
                return Examination.Secret(name: secret.name, fault: (error.description, remedy))
            }
        }
    }
}
