/// Another version of a secret was put into force by an operator: what was done with that.
public struct SecretSwitch: Equatable, Sendable {
    /// What is minted with now.
    public let number: SecretVersionNumber
    /// What was until then; nil where nothing was.
    public let replaced: SecretVersionNumber?
    /// Whether the tokens of the one before are replaced within seconds: it is not to be relied on any more.
    public let isUrgent: Bool
}
