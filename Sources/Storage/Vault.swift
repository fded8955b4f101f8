internal import TokenBroker

/// An open store: the database with the keys to its rows. Used on the store's thread alone.
///
/// Every row is written by ``save(_:at:)`` and read by ``rows(_:scope:_:)``, so there is one place where encryption could
/// be forgotten.
final class Vault {
    let database: Database
    private(set) var keys: KeyRing
    let unreadableRows: UnreadableRows

    init(_ database: Database, keys: KeyRing, _ unreadableRows: UnreadableRows) {
        self.database = database
        self.keys = keys
        self.unreadableRows = unreadableRows
    }

    func save<R: Row>(_ row: R, at now: WallInstant) throws(StoreError) {
        let identity = RowIdentity(
            table: R.table,
            scope: row.scope,
            code: keys.code(R.table.rawValue, row.scope, row.key),
            version: row.version,
            writtenAtMilliseconds: now.milliseconds
        )
        var plaintext = Plaintext()
        plaintext.append(row.key)
        row.write(to: &plaintext)
        try put(keys.seal(plaintext, as: identity), as: identity)
    }

    /// - Returns: whether there was one.
    @discardableResult
    func remove<R: Row>(_ type: R.Type, scope: String, key: String) throws(StoreError) -> Bool {
        let code = keys.code(R.table.rawValue, scope, key)
        unreadableRows.forget(R.table, scope: scope, code: code)
        return try database.run(
            "DELETE FROM \(R.table.rawValue) WHERE scope = ?1 AND code = ?2",
            .text(scope),
            .blob(code)
        ) > 0
    }

    /// The row of that key; nil where there is none, or none that can be read.
    func row<R: Row>(_ type: R.Type, scope: String, key: String) throws(StoreError) -> R? {
        let code = keys.code(R.table.rawValue, scope, key)
        let row = try database.first(
            "\(Self.selection(R.table)) WHERE scope = ?1 AND code = ?2",
            .text(scope),
            .blob(code),
            body: { SealedRow($0, of: R.table) }
        )
        return row.flatMap { open($0) }
    }

    /// What `value` makes of all rows of the table, or of one scope in it, that can be read.
    func rows<R: Row, Value>(
        _ type: R.Type,
        scope: String? = nil,
        _ value: (R) -> Value
    ) throws(StoreError) -> [Value] {
        let selection = Self.selection(R.table)
        var values: [Value] = []
        let repeated = RepeatedTexts()
        // Each is opened as it is read: all of them sealed beside all of them open would be twice the memory.
        try database.forEachRow(
            scope == nil ? selection : "\(selection) WHERE scope = ?1",
            scope.map { [.text($0)] } ?? []
        ) { row in
            if let row: R = open(SealedRow(row, of: R.table), repeated) { values.append(value(row)) }
        }
        return values
    }

    /// How many rows there are in the scope, readable or not.
    func count<R: Row>(_ type: R.Type, scope: String) throws(StoreError) -> Int {
        let statement = "SELECT count(*) FROM \(R.table.rawValue) WHERE scope = ?1"
        return try database.first(statement, .text(scope)) { Int($0.integer(0)) } ?? 0
    }

    /// The next value of a counter that never goes back: `count` more than it was, or than `floor` where that is more.
    func advance(_ counter: String, by count: Int64 = 1, above floor: Int64 = 0) throws(StoreError) -> Int64 {
        let value = try database.first(
            """
            INSERT INTO counters (name, value) VALUES (?1, ?3 + ?2)
            ON CONFLICT (name) DO UPDATE SET value = max(value, ?3) + ?2 RETURNING value
            """,
            .text(counter),
            .integer(count),
            .integer(floor),
            body: { $0.integer(0) }
        )
        guard let value else { preconditionFailure("an insertion without a row") }
        return value
    }

    /// Encrypts every row under `newKeys`, in the one transaction that also makes them the store's.
    ///
    /// A row that the old keys do not open stays as it is: it was lost before, and may still be of use to an expert.
    func reencrypt(under newKeys: KeyRing) throws(StoreError) {
        try database.transaction(.durable) { () throws(StoreError) in
            for table in [Table.tokens, .holds, .records] {
                for row in try database.all(Self.selection(table), body: { SealedRow($0, of: table) }) {
                    try reencrypt(row, under: newKeys)
                }
            }
            try reencryptAudit(under: newKeys)
            // Their keys are codes under the old ring, and whoever held them is gone: this process has the store's lock.
            try database.run("DELETE FROM leases")
            try database.run(
                "UPDATE store_key SET salt = ?1, fingerprint = ?2",
                .blob(newKeys.salt),
                .blob(newKeys.fingerprint)
            )
        }
        keys = newKeys
        // What the old key encrypted is still in the log until that is written back and cut.
        _ = try database.first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
    }

    private func reencrypt(_ row: SealedRow, under newKeys: KeyRing) throws(StoreError) {
        guard let plaintext = try? keys.open(row.sealed, as: row.identity),
            let key = plaintext.withBytes({ bytes in
                var reader = PlaintextReader(bytes)
                return try? reader.text()
            })
        else { return note(unreadable: row) }
        let old = row.identity
        let identity = RowIdentity(
            table: old.table,
            scope: old.scope,
            code: newKeys.code(old.table.rawValue, old.scope, key),
            version: old.version,
            writtenAtMilliseconds: old.writtenAtMilliseconds
        )
        try database.run(
            "UPDATE \(old.table.rawValue) SET code = ?3, sealed = ?4 WHERE scope = ?1 AND code = ?2",
            .text(old.scope),
            .blob(old.code),
            .blob(identity.code),
            .blob(newKeys.seal(plaintext, as: identity))
        )
    }

    private func put(_ sealed: [UInt8], as identity: RowIdentity) throws(StoreError) {
        unreadableRows.forget(identity.table, scope: identity.scope, code: identity.code)
        try database.run(
            """
            INSERT INTO \(identity.table.rawValue) (scope, code, version, written_at, sealed)
            VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (scope, code) DO UPDATE SET version = ?3, written_at = ?4, sealed = ?5
            """,
            .text(identity.scope),
            .blob(identity.code),
            .integer(identity.version),
            .integer(identity.writtenAtMilliseconds),
            .blob(sealed)
        )
    }

    private func open<R: Row>(_ row: SealedRow, _ repeated: RepeatedTexts? = nil) -> R? {
        do throws(UnreadableRow) {
            let plaintext = try keys.open(row.sealed, as: row.identity)
            return try plaintext.withBytes { (bytes) throws(UnreadableRow) in
                var reader = PlaintextReader(bytes, repeated: repeated)
                let head = RowHead(
                    scope: row.identity.scope,
                    key: try reader.text(),
                    version: row.identity.version,
                    writtenAt: WallInstant(milliseconds: row.identity.writtenAtMilliseconds)
                )
                return try R(head, &reader)
            }
        } catch {
            note(unreadable: row)
            return nil
        }
    }

    private func note(unreadable row: SealedRow) {
        unreadableRows.note(row.identity.table, scope: row.identity.scope, code: row.identity.code)
    }

    private static func selection(_ table: Table) -> String {
        "SELECT scope, code, version, written_at, sealed FROM \(table.rawValue)"
    }
}

/// A row as it is in the file.
private struct SealedRow {
    let identity: RowIdentity
    let sealed: [UInt8]

    init(_ row: borrowing DatabaseRow, of table: Table) {
        identity = RowIdentity(
            table: table,
            scope: row.text(0),
            code: row.blob(1),
            version: row.integer(2),
            writtenAtMilliseconds: row.integer(3)
        )
        sealed = row.blob(4)
    }
}
