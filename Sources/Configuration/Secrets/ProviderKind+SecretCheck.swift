public import TokenBroker

extension ProviderKind {
    /// Whether `secret` is recognisably not the kind of key that this kind of provider takes.
    ///
    /// Only what is certainly wrong is refused: of anything else the provider is the better judge.
    ///
    /// - Returns: the problem, naming the prefix expected and never the value; nil where there is none to see.
    public func problem(with secret: Secret, of definition: SecretDefinition) -> SecretProblem? {
        guard let wrong = wrongSecretPrefixes.first(where: secret.hasPrefix) else { return nil }
        let expectation = secretPrefix.map { ": \(name) takes a key that begins with \($0)" } ?? " for \(name)"
        return SecretProblem(
            .malformed,
            "secret \(definition.name): a key that begins with \(wrong) is of the wrong kind\(expectation)"
        )
    }
}
