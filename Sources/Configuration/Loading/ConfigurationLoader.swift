public import TokenBroker

/// Reads the configuration file and the drop-ins beside it into a checked ``Configuration``.
public struct ConfigurationLoader: Sendable {
    private let kinds: [String: ProviderKind]
    private let daemon: DaemonIdentity
    private let accounts: any Accounts

    /// - Parameters:
    ///   - kinds: The kinds of providers that this daemon knows.
    ///   - daemon: Who besides root may own the files.
    ///   - accounts: Where the names of users and groups are resolved.
    public init(
        kinds: [ProviderKind],
        daemon: DaemonIdentity = .current,
        accounts: any Accounts = HostAccounts()
    ) {
        self.kinds = Dictionary(kinds.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.daemon = daemon
        self.accounts = accounts
    }

    /// Reads the file at `path`, then `conf.d/*.yaml` beside it in the byte order of their names.
    ///
    /// - Throws: ``ConfigurationProblems`` with everything that is wrong, not only the first of it.
    public func load(path: String) throws(ConfigurationProblems) -> Configuration {
        throw ConfigurationProblems([ConfigurationProblem(file: path, message: "is not read yet")])
    }
}
