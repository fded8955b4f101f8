public import TokenBroker

/// Reads the configuration file and the drop-ins beside it into a checked ``Configuration``.
public struct ConfigurationLoader: Sendable {
    private let kinds: [String: ProviderKind]
    private let daemon: DaemonIdentity
    private let accounts: any Accounts

    /// - Parameters:
    ///   - kinds: The kinds of providers that this daemon knows.
    ///   - daemon: Who besides root may own the files, and what it may see of its peers.
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
        let log = ProblemLog()
        let sections = gather(path: path, log: log)
        let definition = define(sections)
        let warnings = try log.conclude()
        return Configuration(
            listen: sections.listen,
            store: sections.store,
            operators: sections.operators,
            observers: sections.observers,
            logLevel: sections.logLevel,
            runAs: sections.runAs,
            definition: definition,
            warnings: warnings
        )
    }

    private func gather(path: String, log: ProblemLog) -> Sections {
        var sections = Sections()
        let rule = FileRule(daemon: daemon)
        if let main = ConfigurationFile.read(path, rule: rule, log: log) {
            sections.addMain(main, accounts: accounts)
        }
        do {
            for dropIn in try DropIns.paths(beside: path) {
                guard let root = ConfigurationFile.read(dropIn, rule: rule, log: log) else { continue }
                sections.addDropIn(root)
            }
        } catch {
            let folder = DropIns.folder(beside: path)
            log.report(ConfigurationProblem(file: folder, message: "cannot be read: \(error)"))
        }
        return sections
    }

    /// Reads the blocks once all names are known, so that a reference may point into any file.
    private func define(_ sections: Sections) -> BrokerDefinition {
        let secrets = sections.secrets.map { name, field in
            field.secret(named: name, hasStore: sections.store != nil)
        }
        let providers = sections.providers.map { name, field in
            field.provider(named: name, secrets: sections.secrets, kinds: kinds, files: FileRule(daemon: daemon))
        }
        ProviderBlock.refuseSharedSpending(providers, sections.providers.fields)
        ProviderBlock.judgeManagement(providers, secrets, sections.providers.fields)
        let grantRules = GrantRules(
            accounts: accounts,
            daemon: daemon,
            runsAs: sections.runAs.flatMap(accounts.userID)
        )
        let tokens = sections.tokens.map { name, field in
            field.token(
                named: name,
                providers: sections.providers,
                sources: providers,
                secrets: sections.secrets,
                maxLifetime: sections.limits.maxLifetime,
                grantRules: grantRules
            )
        }
        let routes = sections.routes.map { name, field in
            field.route(named: name, tokens: (sections.tokens, tokens), grantRules: grantRules)
        }
        let devices = sections.devices.read(FileRule(daemon: daemon), accounts)
        if !sections.devices.namesApps {
            for (name, field) in sections.routes.fields where routes[name]?.devices == .enforce {
                field.refuseBlock("'devices: enforce' would let nobody in: name an app under devices.apps")
            }
        }
        return BrokerDefinition(
            secrets: secrets,
            providers: providers.compactMapValues(\.definition),
            tokens: tokens,
            routes: routes,
            devices: devices,
            limits: sections.limits
        )
    }
}
