internal import CSQLite
internal import Glibc
internal import TokenBroker

/// What SQLite answered, in its own fixed words: never the statement, and never a value.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code.
    let code: Int32

    var description: String { "\(String(cString: sqlite3_errstr(code))) (SQLite \(code))" }
}

extension StoreError {
    /// - Parameter systemError: the `errno` that SQLite met, where it met one.
    init(sqlite code: Int32, systemError: Int32, path: String) {
        let failure = SQLiteFailure(code: code)
        let (meaning, text): (Code, String) =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: (.locked, "another process has it locked")
            case SQLITE_FULL: (.full, "there is no room left")
            case SQLITE_READONLY: (.readOnly, "it cannot be written")
            case SQLITE_CORRUPT, SQLITE_NOTADB: (.corrupt, "it is damaged")
            default:
                // What SQLite itself reports as a failed read, write or opening may be a full or read-only disk.
                switch systemError {
                case ENOSPC, EDQUOT: (.full, "there is no room left")
                case EROFS: (.readOnly, "it cannot be written")
                default: (.unavailable, "it cannot be used")
                }
            }
        self.init(meaning, "\(path): \(text): \(failure)", cause: failure)
    }
}
