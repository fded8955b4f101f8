internal import CSQLite
internal import TokenBroker

/// A value that a statement takes.
enum DatabaseValue {
    case integer(Int64)
    case text(String)
    case blob([UInt8])
}

/// One connection to a database file; used by one thread at a time.
final class Database {
    let path: String
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// How long SQLite waits for another process's transaction, such as a backup's.
    private static let busyTimeoutInMilliseconds: Int32 = 2000

    /// Opens a file that exists, and turns off what a file that somebody tampered with could use against its reader.
    ///
    /// - Parameter isFrozen: whether nobody can change it. SQLite cannot make the index of its log then, and reads the
    ///   file only when it is told that there is no need of one.
    init(_ path: String, isFrozen: Bool = false) throws(StoreError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
        let code =
            isFrozen
            ? sqlite3_open_v2(Self.immutable(path), &opened, flags | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
            : sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_READWRITE, nil)
        guard let opened else { throw StoreError(.unavailable, "\(path): SQLite is out of memory") }
        guard code == SQLITE_OK else {
            let error = StoreError(sqlite: code, systemError: sqlite3_system_errno(opened), path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        self.path = path
        handle = opened
        sqlite3_busy_timeout(handle, Self.busyTimeoutInMilliseconds)
        for (option, value) in Self.switches {
            tokenbroker_sqlite_switch(handle, option, value)
        }
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    private static func immutable(_ path: String) -> String {
        let special = ["%": "%25", "?": "%3F", "#": "%23"]
        return "file:\(path.map { special[String($0)] ?? String($0) }.joined())?immutable=1"
    }

    /// No functions out of the schema, no triggers or views, no writing to SQLite's own tables, no string where a column
    /// is meant.
    private static let switches: [(option: Int32, value: Int32)] = [
        (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_DQS_DDL, 0), (SQLITE_DBCONFIG_DQS_DML, 0),
    ]

    /// Whether closing leaves the log where it is, instead of writing it into the database.
    var keepsLogWhenClosed = false {
        didSet { tokenbroker_sqlite_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keepsLogWhenClosed ? 1 : 0) }
    }

    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs a statement for what it changes.
    ///
    /// - Returns: how many rows it changed.
    @discardableResult
    func run(_ statement: String, _ values: DatabaseValue...) throws(StoreError) -> Int {
        try query(statement, values) { _ in }
        return Int(sqlite3_changes(handle))
    }

    /// Runs a statement for the first row of its answer; nil where that has none.
    func first<Result>(
        _ statement: String,
        _ values: DatabaseValue...,
        body: (borrowing DatabaseRow) -> Result
    ) throws(StoreError) -> Result? {
        var result: Result?
        try query(statement, values) { row in
            if result == nil { result = body(row) }
        }
        return result
    }

    /// Runs a statement for all rows of its answer.
    func all<Result>(
        _ statement: String,
        _ values: DatabaseValue...,
        body: (borrowing DatabaseRow) -> Result
    ) throws(StoreError) -> [Result] {
        var results: [Result] = []
        try query(statement, values) { row in results.append(body(row)) }
        return results
    }

    /// Runs a statement and shows each row of its answer to `body`.
    func forEachRow(
        _ statement: String,
        _ values: [DatabaseValue],
        body: (borrowing DatabaseRow) -> Void
    ) throws(StoreError) {
        try query(statement, values, body)
    }

    /// Runs `body` as one transaction: all of it is done, or nothing.
    func transaction<Result>(
        _ durability: Durability,
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        switch durability {
        case .ordinary: try run("PRAGMA synchronous = NORMAL")
        case .durable: try run("PRAGMA synchronous = FULL")
        }
        // A transaction that began by reading could not be turned into a writing one while another process writes.
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some failures SQLite has ended the transaction itself.
            if sqlite3_get_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    private func query(
        _ text: String,
        _ values: [DatabaseValue],
        _ body: (borrowing DatabaseRow) -> Void
    ) throws(StoreError) {
        let statement = try prepared(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            try check(bind(value, to: statement, at: Int32(index + 1)))
        }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw failure(code) }
            body(DatabaseRow(statement: statement))
        }
    }

    private func prepared(_ text: String) throws(StoreError) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { preconditionFailure("an empty statement") }
        statements[text] = statement
        return statement
    }

    private func bind(_ value: DatabaseValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .text(let text): tokenbroker_sqlite_bind_text(statement, index, text, Int32(text.utf8.count))
        case .blob(let bytes): tokenbroker_sqlite_bind_blob(statement, index, bytes, Int32(bytes.count))
        }
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> StoreError {
        StoreError(sqlite: code, systemError: sqlite3_system_errno(handle), path: path)
    }
}

/// The row that a statement stands on; good only until the next one.
struct DatabaseRow: ~Copyable {
    fileprivate let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(statement, column)
    }

    func text(_ column: Int32) -> String {
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(statement, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    }
}
