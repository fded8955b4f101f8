internal import TokenBroker

/// The sections of all files, as they were found and before they are read.
struct Sections {
    private(set) var secrets = Blocks()
    private(set) var providers = Blocks()
    private(set) var tokens = Blocks()
    private(set) var routes = Blocks()
    private(set) var devices = DeviceBlocks()

    private(set) var listen = ListenSettings()
    private(set) var store: StoreSettings?
    private(set) var operators: [AdminPrincipal] = []
    private(set) var observers: [AdminPrincipal] = []
    private(set) var logLevel = LogLevel.info
    private(set) var runAs: String?
    private(set) var limits = Limits()

    /// Takes the main file, which may have every section.
    mutating func addMain(_ root: Field, accounts: any Accounts) {
        _ = root.mapping { reader in
            addBlocks(from: &reader)
            listen = reader.optional("listen")?.listen() ?? listen
            store = reader.optional("store")?.store()
            operators = reader.optional("operators")?.principals(accounts) ?? []
            observers = reader.optional("observers")?.principals(accounts) ?? []
            logLevel = reader.optional("log")?.logLevel() ?? logLevel
            runAs = reader.optional("run_as")?.userName(accounts)
            limits = reader.optional("limits")?.limits() ?? limits
        }
    }

    /// Takes a drop-in, which may add named blocks and apps, and change nothing else.
    mutating func addDropIn(_ root: Field) {
        _ = root.mapping { reader in
            addBlocks(from: &reader)
            for key in ["listen", "store", "operators", "observers", "log", "run_as", "limits"] {
                reader.refuse(
                    key,
                    "belongs in the main file: a drop-in adds secrets, providers, tokens, routes and devices"
                )
            }
        }
    }

    private mutating func addBlocks(from reader: inout MappingReader) {
        secrets.add(reader.optional("secrets"))
        providers.add(reader.optional("providers"))
        tokens.add(reader.optional("tokens"))
        routes.add(reader.optional("routes"))
        devices.add(reader.optional("devices"))
    }
}

extension Field {
    fileprivate func logLevel() -> LogLevel? {
        mapping { reader in reader.optional("level")?.choice(of: LogLevel.self) }
    }

    /// A user by name: the groups to take on with it are found by the name.
    fileprivate func userName(_ accounts: any Accounts) -> String? {
        guard let name = text("the name of a user") else { return nil }
        guard accounts.userID(named: name) != nil else { return refusing("no such user on this host") }
        return name
    }
}
