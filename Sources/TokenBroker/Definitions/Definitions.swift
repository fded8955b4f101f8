/// Where a long-lived key comes from.
public struct SecretDefinition: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        /// A file that root or the daemon owns.
        case file(path: String)
        /// A file of this name that the service manager put into the credentials directory.
        case credential(name: String)
        /// Given by an operator over the admin socket, and kept in the store alone.
        case managed
    }

    public let name: Name
    public let source: Source
    /// Over how long the tokens of a replaced value are refreshed, and how long it is kept where it is the credential
    /// itself; nil for what ``SecretDrain`` says.
    public let drain: Duration?

    public init(name: Name, source: Source, drain: Duration? = nil) {
        self.name = name
        self.source = source
        self.drain = drain
    }
}

/// What is added to each request of an app to a provider, beside the credential.
public struct RequestDecoration: Hashable, Sendable {
    /// Sent as `X-App-Identifier`.
    public let appIdentifier: String?
    /// Never over a header that the credential needs, and never `Authorization`.
    public let headers: [CredentialHeader]

    public init(appIdentifier: String? = nil, headers: [CredentialHeader] = []) {
        self.appIdentifier = appIdentifier
        self.headers = headers
    }
}

/// One account at a provider.
public struct ProviderDefinition: Hashable, Sendable {
    public let name: Name
    /// The kind's name in the configuration, such as `ai-autocomplete`.
    public let kind: String
    /// Scheme, host, port and path prefix, without a trailing slash.
    public let baseURL: String
    public let secret: Name
    /// The longest a whole request may take.
    public let timeout: Duration
    public let trust: TrustSettings
    public let options: Options
    /// The secrets that options name, by option.
    public let secretsByOption: [String: Name]
    /// The key of the provider's own key API, which is for making and revoking keys and never handed out; nil where that is
    /// left to people.
    public let management: Name?
    public let decoration: RequestDecoration
    public let pace: MintPace?

    public init(
        name: Name,
        kind: String,
        baseURL: String,
        secret: Name,
        timeout: Duration,
        trust: TrustSettings = TrustSettings(),
        options: Options = Options(),
        secretsByOption: [String: Name] = [:],
        management: Name? = nil,
        decoration: RequestDecoration = RequestDecoration(),
        pace: MintPace? = nil
    ) {
        self.name = name
        self.kind = kind
        self.baseURL = baseURL
        self.secret = secret
        self.timeout = timeout
        self.trust = trust
        self.options = options
        self.secretsByOption = secretsByOption
        self.management = management
        self.decoration = decoration
        self.pace = pace
    }

    /// All that it mints with.
    var secrets: Set<Name> { Set(secretsByOption.values).union([secret]) }
}

/// When a token is minted.
public enum RefreshMode: String, CaseIterable, Sendable {
    /// At start, and again ahead of each expiry.
    case ahead
    /// When it is first asked for.
    case onDemand = "on-demand"
}

/// A token that apps ask for by name.
public struct TokenDefinition: Hashable, Sendable {
    public let name: Name
    public let provider: Name
    public let refresh: RefreshMode
    public let credential: CredentialForm
    /// Whether peers may have a credential that is the long-lived key itself.
    public let revealsSecret: Bool
    /// The header in which forward-auth reads the end user; nil where it may not name one.
    public let endUserHeader: String?
    /// The provider's codes for an allowance that is spent.
    public let quotaCodes: Set<String>
    /// The lifetime of a token whose provider names none; the broker-wide default where nil.
    public let defaultLifetime: Duration?
    public let grants: [Grant]
    public let options: Options

    public init(
        name: Name,
        provider: Name,
        refresh: RefreshMode = .ahead,
        credential: CredentialForm = CredentialForm(),
        revealsSecret: Bool = false,
        endUserHeader: String? = nil,
        quotaCodes: Set<String> = [],
        defaultLifetime: Duration? = nil,
        grants: [Grant] = [],
        options: Options = Options()
    ) {
        self.name = name
        self.provider = provider
        self.refresh = credential.user.hasOwnToken ? .onDemand : refresh
        self.credential = credential
        self.revealsSecret = revealsSecret
        self.endUserHeader = endUserHeader
        self.quotaCodes = quotaCodes
        self.defaultLifetime = defaultLifetime
        self.grants = grants
        self.options = options
    }

    /// Whether each end user has a token of its own; such tokens are minted on demand.
    public var isPerUser: Bool { credential.user.hasOwnToken }
}

/// The numbers under `limits:`; the values here are the defaults.
public struct Limits: Hashable, Sendable {
    public var connectionsPerUID = 16384
    /// The longest a caller may ask to wait.
    public var waitMax: Duration = .seconds(300)
    /// When a flight ends, whatever the provider does.
    public var mintDeadline: Duration = .seconds(30)
    /// The lifetime of a token whose provider names none.
    public var defaultLifetime: Duration = .seconds(300)
    /// A longer lifetime is not believed.
    public var maxLifetime: Duration = .seconds(30 * 86400)
    /// A longer pause is not believed.
    public var retryAfterMax: Duration = .seconds(900)
    /// How many users' tokens are held at once.
    public var endUsers = 100_000
    /// How much memory the tokens of users may take; not in the configuration, because ``endUsers`` is reached first where
    /// tokens are of a usual length.
    public var endUserBytes = 256 * 1024 * 1024

    public init() {}
}

/// What the configuration says about secrets, providers, tokens, routes and devices, checked: every reference has its target.
public struct BrokerDefinition: Hashable, Sendable {
    public let secrets: [Name: SecretDefinition]
    public let providers: [Name: ProviderDefinition]
    public let tokens: [Name: TokenDefinition]
    public let routes: [Name: RouteDefinition]
    public let devices: DeviceSettings
    public let limits: Limits

    public init(
        secrets: [Name: SecretDefinition] = [:],
        providers: [Name: ProviderDefinition] = [:],
        tokens: [Name: TokenDefinition] = [:],
        routes: [Name: RouteDefinition] = [:],
        devices: DeviceSettings = DeviceSettings(),
        limits: Limits = Limits()
    ) {
        self.secrets = secrets
        self.providers = providers
        self.tokens = tokens
        self.routes = routes
        self.devices = devices
        self.limits = limits
    }
}
