/// What the configuration has to know about a kind of provider to check a block of it, and the engine to pace it.
public struct ProviderKind: Sendable {
    /// How a block says where the provider is.
    public enum Address: Sendable {
        /// `base_url`, and this public service where it is left out.
        case publicService(String)
        /// The key of this name, which is required.
        case key(String)
        /// The key of this name, which is required, for the one address that all requests go to as it stands.
        case endpoint(String)
        /// `base_url`, and what `make` makes of the option where it is left out.
        case derived(fromOption: String, make: @Sendable (String) -> String)
    }

    /// The value of `kind:`.
    public let name: String
    public let address: Address
    /// Options of the kind's own in a provider's block.
    public let providerOptions: [OptionDeclaration]
    /// Options of the kind's own in a token's block.
    public let tokenOptions: [OptionDeclaration]
    /// How the right kind of long-lived key begins, where it can be told. No other kind with a prefix takes such a one.
    public let secretPrefix: String?
    /// How this provider's keys begin that are recognisably of the wrong kind.
    public let wrongSecretPrefixes: [String]
    /// The provider's codes for an allowance that is spent: with them a report of a refused token is not about the token.
    public let quotaCodes: Set<String>
    private let credentialOf: @Sendable (_ provider: Options, _ token: Options) -> CredentialForm
    private let paceOf: @Sendable (_ provider: Options) -> MintPace?
    private let faultOf: @Sendable (_ provider: Options) -> String?
    private let tokenFaultOf: @Sendable (_ provider: Options, _ token: Options) -> String?

    /// - Parameters:
    ///   - credential: what the tokens of a provider's block are, by the options of both blocks.
    ///   - pace: how often the provider lets its tokens be minted, where that is known.
    ///   - fault: what is wrong with a provider's options taken together, in words that name the keys.
    ///   - tokenFault: the same of a token's options, beside its provider's.
    public init(
        name: String,
        address: Address,
        providerOptions: [OptionDeclaration] = [],
        tokenOptions: [OptionDeclaration] = [],
        secretPrefix: String? = nil,
        wrongSecretPrefixes: [String] = [],
        quotaCodes: Set<String> = [],
        credential: @escaping @Sendable (_ provider: Options, _ token: Options) -> CredentialForm = { _, _ in
            CredentialForm()
        },
        pace: @escaping @Sendable (_ provider: Options) -> MintPace? = { _ in nil },
        fault: @escaping @Sendable (_ provider: Options) -> String? = { _ in nil },
        tokenFault: @escaping @Sendable (_ provider: Options, _ token: Options) -> String? = { _, _ in nil }
    ) {
        self.name = name
        self.address = address
        self.providerOptions = providerOptions
        self.tokenOptions = tokenOptions
        self.secretPrefix = secretPrefix
        self.wrongSecretPrefixes = wrongSecretPrefixes
        self.quotaCodes = quotaCodes
        credentialOf = credential
        paceOf = pace
        faultOf = fault
        tokenFaultOf = tokenFault
    }

    public func credential(provider: Options, token: Options) -> CredentialForm {
        credentialOf(provider, token)
    }

    public func pace(provider: Options) -> MintPace? {
        paceOf(provider)
    }

    public func fault(provider: Options) -> String? {
        faultOf(provider)
    }

    public func fault(provider: Options, token: Options) -> String? {
        tokenFaultOf(provider, token)
    }
}
