public import TokenBroker

extension ProviderKind {
    /// Whether `secret` is recognisably not the kind of key that this kind of provider takes.
    ///
    /// Only what is certainly wrong is refused: of anything else the provider is the better judge.
    ///
    /// - Parameter kinds: All kinds there are: a key of another one is no business of this provider's.
    /// - Returns: the problem, naming the prefix expected and never the value; nil where there is none to see.
    public func problem(
        with secret: Secret,
        of definition: SecretDefinition,
        among kinds: [ProviderKind]
    ) -> SecretProblem? {
        let wrong = wrongSecretPrefixes.first(where: secret.hasPrefix) ?? foreignPrefix(of: secret, among: kinds)
        guard let wrong else { return nil }
        let expectation = secretPrefix.map { ": \(name) takes a key that begins with \($0)" } ?? " for \(name)"
        return SecretProblem(
            .malformed,
            "secret \(definition.name): a key that begins with \(wrong) is of the wrong kind\(expectation)"
        )
    }

    /// Whether `secret`, for the kind's key API, is recognisably a key that tokens are minted with, or another kind's.
    ///
    /// - Returns: nil on the same terms.
    public func managementProblem(
        with secret: Secret,
        of definition: SecretDefinition,
        among kinds: [ProviderKind]
    ) -> SecretProblem? {
        guard let secretPrefix, !wrongSecretPrefixes.contains(where: secret.hasPrefix) else { return nil }
        let wrong = secret.hasPrefix(secretPrefix) ? secretPrefix : foreignPrefix(of: secret, among: kinds)
        guard let wrong else { return nil }
        let expectation = wrongSecretPrefixes.first.map { ", which takes one that begins with \($0)" } ?? ""
        return SecretProblem(
            .malformed,
            "secret \(definition.name): a key that begins with \(wrong) is not one of the key API of \(name)"
                + expectation
        )
    }

    /// How `secret` begins, where keys of another kind begin so and those of this one do not. A kind whose keys begin
    /// anyhow may have one that begins like another's.
    private func foreignPrefix(of secret: Secret, among kinds: [ProviderKind]) -> String? {
        guard let secretPrefix, !secret.hasPrefix(secretPrefix) else { return nil }
        let prefixes = kinds.flatMap { kind in kind.wrongSecretPrefixes + (kind.secretPrefix.map { [$0] } ?? []) }
        return prefixes.first(where: secret.hasPrefix)
    }
}
