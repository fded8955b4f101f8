internal import Glibc
internal import TokenBroker

/// The file of a store with those that SQLite keeps beside it.
///
/// Used only while SQLite has none of them open: closing any descriptor of a file drops all of this process's POSIX locks
/// on it, SQLite's included.
struct StoreFile {
    let path: String

    private var directory: Directory { Directory(of: path) }

    /// Whether anything is there that a store could be read from.
    func exists() throws(StoreError) -> Bool {
        if try status(path) != nil { return true }
        return try hasLog()
    }

    /// Begins a store: `fill` makes it in an empty file of another name.
    ///
    /// It gets its own name only when it is complete, so that a store with nothing in it never is one that was only begun:
    /// what it had is lost.
    func make(_ fill: (String) throws(StoreError) -> Void) throws(StoreError) {
        let draft = path + ".new"
        for leftover in [draft + "-journal", draft] { unlink(leftover) }
        try call("cannot be made") { () throws(SystemError) in
            _ = try Descriptor(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
        }
        try fill(draft)
        try call("cannot be made") { () throws(SystemError) in
            guard rename(draft, path) == 0 else { throw SystemError.last }
        }
        try directory.synchronize()
    }

    /// Sees to it that the file is the daemon's alone.
    func judge() throws(StoreError) {
        let status = try call("cannot be opened") { () throws(SystemError) in
            try Descriptor(path, O_RDONLY | O_NOFOLLOW).status()
        }
        guard status.isRegular else { throw StoreError(.unavailable, "\(path): is not a regular file") }
        guard status.isOurs else {
            throw StoreError(
                .unavailable,
                "\(path): uid \(status.owner) owns it, which is neither root nor the daemon: chown \(geteuid()) \(path)"
            )
        }
        guard status.permissions & 0o077 == 0 || chmod(path, 0o600) == 0 else {
            throw SystemError.last.storeError(path, "is open to others: chmod 600 \(path)")
        }
    }

    /// Whether a log is left without the database it belongs to. SQLite would delete it, with what was committed in it.
    func isLogAlone() throws(StoreError) -> Bool {
        if let size = try status(path)?.size, size > 0 { return false }
        return try hasLog()
    }

    /// Whether nobody can change the file, and all that was committed is in it: there is no log, and the file system is
    /// mounted to be read only.
    func isFrozen() throws(StoreError) -> Bool {
        guard try !hasLog() else { return false }
        var fileSystem = statvfs()
        return statvfs(path, &fileSystem) == 0 && fileSystem.f_flag & UInt(ST_RDONLY) != 0
    }

    /// Renames the store, with its logs and index, to `PATH.broken-TIME`, with `-1`, `-2`, … where that is taken.
    ///
    /// Nothing is ever written over or deleted: rows that were committed can be in any of them. The logs go first,
    /// because one that is left beside a new database would be played into it.
    ///
    /// - Returns: the new path of the database.
    func setAside(at now: WallInstant) throws(StoreError) -> String {
        let time = now.rfc3339.filter { $0 != "-" && $0 != ":" }
        var target = "\(path)\(Self.asideMark)\(time)"
        var number = 0
        while try isTaken(target) {
            number += 1
            target = "\(path)\(Self.asideMark)\(time)-\(number)"
        }
        for suffix in Self.suffixes where try status(path + suffix) != nil {
            try call("cannot be put aside") { () throws(SystemError) in
                guard rename(path + suffix, target + suffix) == 0 else { throw SystemError.last }
            }
        }
        try directory.synchronize()
        return target
    }

    /// Whether a store that was put aside is still beside this one.
    func hasPredecessor() throws(StoreError) -> Bool {
        let mark = path.split(separator: "/").last.map { "\($0)\(Self.asideMark)" } ?? Self.asideMark
        return try call("cannot be looked for") { () throws(SystemError) in try directory.names() }
            .contains { $0.hasPrefix(mark) }
    }

    private static let asideMark = ".broken-"
    private static let suffixes = ["-wal", "-journal", "-shm", ""]

    private func isTaken(_ path: String) throws(StoreError) -> Bool {
        for suffix in Self.suffixes where try status(path + suffix) != nil { return true }
        return false
    }

    private func hasLog() throws(StoreError) -> Bool {
        guard let log = try status(path + "-wal") else { return false }
        return log.size > 0
    }

    private func status(_ path: String) throws(StoreError) -> FileStatus? {
        do { return try FileStatus.at(path) } catch { throw error.storeError(path, "cannot be looked at") }
    }

    private func call<Result>(
        _ what: String,
        _ body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do { return try body() } catch { throw error.storeError(path, what) }
    }
}
