internal import TokenBroker

extension Vault {
    /// Opens the store, or begins one where there is none. The caller holds the store's lock.
    ///
    /// What a failure finds, it leaves as it is.
    ///
    /// - Parameter unreadableRows: takes note of those.
    static func open(
        _ settings: StorageSettings,
        _ unreadableRows: UnreadableRows
    ) throws(StoreError) -> Vault {
        let file = StoreFile(path: settings.path)
        let exists = try file.exists()
        let key = try key(settings, storeExists: exists)
        if !exists { try file.make { (path) throws(StoreError) in try begin(path, key) } }
        guard try !file.isLogAlone() else {
            throw StoreError(.corrupt, "\(settings.path): there is a log, and not the database it belongs to")
        }
        try file.judge()
        let database = try Database(settings.path, isFrozen: file.isFrozen())
        database.keepsLogWhenClosed = true
        try database.identify()
        let vault = try adopt(database, key, previous: settings.previousKey, unreadableRows)
        database.keepsLogWhenClosed = false
        return vault
    }

    private static func key(_ settings: StorageSettings, storeExists: Bool) throws(StoreError) -> StoreKey {
        let source = try settings.key.file()
        // Beside a store, a key that is missing is a mistake: a new one would open nothing.
        if case .file = settings.key, !storeExists, try !source.exists() { try source.make() }
        return try source.read()
    }

    /// With no log yet: all of it is in the one file when that is closed.
    private static func begin(_ path: String, _ key: StoreKey) throws(StoreError) {
        let database = try Database(path)
        let keys = KeyRing(key)
        try database.migrate(isNew: true) { () throws(StoreError) in
            try database.run(
                "INSERT INTO store_key (salt, fingerprint) VALUES (?1, ?2)",
                .blob(keys.salt),
                .blob(keys.fingerprint)
            )
        }
    }

    private static func adopt(
        _ database: Database,
        _ key: StoreKey,
        previous: StorageSettings.KeySource?,
        _ unreadableRows: UnreadableRows
    ) throws(StoreError) -> Vault {
        try database.examine()
        try database.configure()
        let check = try database.first("SELECT salt, fingerprint FROM store_key") { ($0.blob(0), $0.blob(1)) }
        guard let (salt, fingerprint) = check else {
            throw StoreError(.wrongKey, "\(database.path): does not say which key it was encrypted with")
        }
        let keys = KeyRing(key, salt: salt)
        if keys.fingerprint == fingerprint {
            try database.migrate(isNew: false) {}
            return Vault(database, keys: keys, unreadableRows)
        }
        let wrongKey = StoreError(.wrongKey, "\(database.path): was encrypted with another key")
        guard let previous else { throw wrongKey }
        let previousKeys = KeyRing(try previous.file().read(), salt: salt)
        guard previousKeys.fingerprint == fingerprint else { throw wrongKey }
        try database.migrate(isNew: false) {}
        let vault = Vault(database, keys: previousKeys, unreadableRows)
        try vault.reencrypt(under: KeyRing(key))
        return vault
    }
}

extension Database {
    /// Looks through the file for what SQLite calls malformed, before anything in it is relied on.
    ///
    /// That takes 50 ms for 100,000 tokens, less than a tenth of such a start; a fault that came to light only when its
    /// page is read would put the store aside in the middle of a run.
    fileprivate func examine() throws(StoreError) {
        let verdict = try first("PRAGMA quick_check(1)") { $0.text(0) }
        guard verdict == "ok" else {
            throw StoreError(.corrupt, "\(path): it is damaged: SQLite's check found a fault")
        }
    }

    fileprivate func configure() throws(StoreError) {
        // A log that is written back in the background: a commit costs no wait for the disk, and outlives the process.
        _ = try first("PRAGMA journal_mode = WAL") { $0.text(0) }
        // What is overwritten or deleted is gone from the file, and a log that a burst blew up shrinks again.
        for setting in ["secure_delete = ON", "cell_size_check = ON", "journal_size_limit = 4194304"] {
            _ = try first("PRAGMA \(setting)") { $0.integer(0) }
        }
    }
}
