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

    /// Whether `secret`, for the kind's key API, is recognisably a key that tokens are minted with.
    ///
    /// - Returns: nil on the same terms.
    public func managementProblem(with secret: Secret, of definition: SecretDefinition) -> SecretProblem? {
        guard let secretPrefix, secret.hasPrefix(secretPrefix), !wrongSecretPrefixes.contains(where: secret.hasPrefix)
        else { return nil }
        let expectation = wrongSecretPrefixes.first.map { ", which takes one that begins with \($0)" } ?? ""
        return SecretProblem(
            .malformed,
            "secret \(definition.name): a key that begins with \(secretPrefix) is not one of the key API of \(name)"
                + expectation
        )
    }
}
