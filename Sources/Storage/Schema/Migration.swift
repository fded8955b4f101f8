internal import TokenBroker

/// One step from a schema to the next. There is no way back: a broker that meets a step it does not know leaves the
/// store alone.
struct Migration {
    /// Written into the store; never changed once released.
    let name: String
    let statements: [String]

    /// All steps, oldest first. New ones are added at the end.
    static let all = [
        Migration(
            name: "001-first-schema",
            statements: [
                "CREATE TABLE store_key (salt BLOB NOT NULL, fingerprint BLOB NOT NULL) STRICT",
                """
                CREATE TABLE tokens (scope TEXT NOT NULL, code BLOB NOT NULL, version INTEGER NOT NULL,
                    written_at INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (scope, code)) STRICT
                """,
                """
                CREATE TABLE holds (scope TEXT NOT NULL, code BLOB NOT NULL, version INTEGER NOT NULL,
                    written_at INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (scope, code)) STRICT
                """,
                """
                CREATE TABLE records (scope TEXT NOT NULL, code BLOB NOT NULL, version INTEGER NOT NULL,
                    written_at INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (scope, code)) STRICT
                """,
                """
                CREATE TABLE audit (version INTEGER PRIMARY KEY, written_at INTEGER NOT NULL,
                    sealed BLOB NOT NULL) STRICT
                """,
                """
                CREATE TABLE leases (code BLOB PRIMARY KEY, holder TEXT NOT NULL, term INTEGER NOT NULL,
                    boot_id TEXT NOT NULL, boot_deadline INTEGER NOT NULL) STRICT
                """,
                "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
            ]
        ),
        Migration(
            name: "002-audit-chains",
            statements: [
                // Nothing was ever written to the one before.
                "DROP TABLE audit",
                """
                CREATE TABLE audit (sequence INTEGER PRIMARY KEY, class TEXT NOT NULL, written_at INTEGER NOT NULL,
                    sealed BLOB NOT NULL, mac BLOB NOT NULL) STRICT
                """,
                "CREATE INDEX audit_by_class ON audit (class, sequence)",
                "CREATE TABLE audit_chains (sealed BLOB NOT NULL) STRICT",
            ]
        ),
    ]
}

extension Database {
    /// Says in the file's header whose it is: `TBrk`.
    static let applicationID: Int64 = 0x5442_726B

    /// Sees to it that the database is a store.
    ///
    /// - Throws: `foreign` for another application's, `newerVersion` for one with a step that is not known here. Both are
    ///   told by the header, before any of the schema is parsed: that of a newer version may not be understood. `corrupt`
    ///   for one that has nothing in it any more.
    func identify() throws(StoreError) {
        let application = try first("PRAGMA application_id") { $0.integer(0) } ?? 0
        let version = try first("PRAGMA user_version") { $0.integer(0) } ?? 0
        if application == Self.applicationID {
            guard version <= Int64(Migration.all.count) else { throw newerVersion() }
            return
        }
        let objects = try first("SELECT count(*) FROM sqlite_schema") { $0.integer(0) } ?? 0
        guard application == 0, version == 0, objects == 0 else {
            throw StoreError(.foreign, "\(path): is another application's database")
        }
        throw StoreError(.corrupt, "\(path): there is nothing in it")
    }

    /// Takes the steps that the store has not taken, and `body` with them, in one transaction.
    func migrate(isNew: Bool, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        let taken =
            isNew ? [] : try all("SELECT name FROM migrations ORDER BY rowid") { $0.text(0) }
        let known = Migration.all.map(\.name)
        guard known.starts(with: taken) else { throw newerVersion() }
        guard taken.count < known.count else { return }
        try transaction(.durable) { () throws(StoreError) in
            if isNew {
                try run("PRAGMA application_id = \(Self.applicationID)")
                try run("CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT")
            }
            for migration in Migration.all.dropFirst(taken.count) {
                for statement in migration.statements { try run(statement) }
                try run("INSERT INTO migrations (name) VALUES (?1)", .text(migration.name))
            }
            try run("PRAGMA user_version = \(known.count)")
            try body()
        }
    }

    private func newerVersion() -> StoreError {
        StoreError(.newerVersion, "\(path): was written by a newer version of the broker, and is left as it is")
    }
}
