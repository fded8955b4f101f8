public import TokenBroker

/// Everything the daemon is told by its files, checked: a value of this type can be acted on as it is.
public struct Configuration: Hashable, Sendable {
    public let listen: ListenSettings
    /// Where tokens survive a restart; nil keeps them in memory only.
    public let store: StoreSettings?
    /// Who may use the admin socket besides root.
    public let operators: [AdminPrincipal]
    /// Who may only look: status, health and metrics.
    public let observers: [AdminPrincipal]
    public let logLevel: LogLevel
    /// The user to become after binding the sockets when started as root.
    public let runAs: String?
    public let definition: BrokerDefinition
    /// What is allowed and yet hardly meant, for the log.
    public let warnings: [ConfigurationProblem]

    public init(
        listen: ListenSettings = ListenSettings(),
        store: StoreSettings? = nil,
        operators: [AdminPrincipal] = [],
        observers: [AdminPrincipal] = [],
        logLevel: LogLevel = .info,
        runAs: String? = nil,
        definition: BrokerDefinition = BrokerDefinition(),
        warnings: [ConfigurationProblem] = []
    ) {
        self.listen = listen
        self.store = store
        self.operators = operators
        self.observers = observers
        self.logLevel = logLevel
        self.runAs = runAs
        self.definition = definition
        self.warnings = warnings
    }

    /// The group of the admin socket and its directory: the first that `operators:` names; nil where it names none.
    public var adminGroup: UInt32? {
        operators.lazy.compactMap(\.group).first
    }
}
