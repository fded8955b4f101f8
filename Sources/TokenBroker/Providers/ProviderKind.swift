/// What the configuration has to know about a kind of provider to check a block of it.
public struct ProviderKind: Sendable {
    /// The value of `kind:`.
    public let name: String
    /// The public service's address, where there is one.
    public let defaultBaseURL: String?
    /// Options of the kind's own in a provider's block.
    public let providerOptions: [OptionDeclaration]
    /// Options of the kind's own in a token's block.
    public let tokenOptions: [OptionDeclaration]
    /// How the right kind of long-lived key begins, where it can be told.
    public let secretPrefix: String?
    /// How keys begin that are recognisably of the wrong kind.
    public let wrongSecretPrefixes: [String]

    public init(
        name: String,
        defaultBaseURL: String? = nil,
        providerOptions: [OptionDeclaration] = [],
        tokenOptions: [OptionDeclaration] = [],
        secretPrefix: String? = nil,
        wrongSecretPrefixes: [String] = []
    ) {
        self.name = name
        self.defaultBaseURL = defaultBaseURL
        self.providerOptions = providerOptions
        self.tokenOptions = tokenOptions
        self.secretPrefix = secretPrefix
        self.wrongSecretPrefixes = wrongSecretPrefixes
    }
}
