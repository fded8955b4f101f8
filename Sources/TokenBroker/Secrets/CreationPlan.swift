/// What having a provider make the next value of a secret would come to.
public struct CreationPlan: Sendable {
    /// Whose key API makes it.
    public let account: ProviderDefinition
    /// As the key would be called there, but for how it ends, which chance decides each time.
    public let label: String
    /// What would be replaced; nil where there is nothing yet.
    public let active: SecretVersion?
    /// What would be let go of.
    public let candidate: SecretVersion?
    /// Whose keys are still to be revoked: they would be first.
    public let owed: [SecretVersion]
    /// Until when the replaced version would be kept, by what lives now.
    public let retiresAt: WallInstant
    /// What would be minted with it.
    public let tokens: [Name]

    public init(
        account: ProviderDefinition,
        label: String,
        active: SecretVersion?,
        candidate: SecretVersion?,
        owed: [SecretVersion],
        retiresAt: WallInstant,
        tokens: [Name]
    ) {
        self.account = account
        self.label = label
        self.active = active
        self.candidate = candidate
        self.owed = owed
        self.retiresAt = retiresAt
        self.tokens = tokens
    }
}
