internal import Glibc
public import TokenBroker

/// The file beside a store that says which first refresh tokens were spent, and by which account: it stays where it is when
/// the store is set aside or lost.
///
/// One line a seed: the fingerprint, a space and the account's name. There is nothing secret in it. Its calls run on the
/// store's thread.
public actor SeedFile {
    /// A file with more in it is not one.
    private static let maximumLength = 1024 * 1024

    private let path: String
    private nonisolated let store: SQLiteStore

    /// - Parameters:
    ///   - path: of the store; the file's own has `.spent-seeds` after it.
    ///   - store: whose thread waits for the disk.
    public init(besideStoreAt path: String, of store: SQLiteStore) {
        self.path = path + ".spent-seeds"
        self.store = store
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    /// The account that the seed was written down for; nil where it was not.
    public func owner(of fingerprint: String) throws(StoreError) -> Name? {
        try owner(of: fingerprint, in: text())
    }

    /// Writes the seed down for the account, unless it is there already. When this returns, the disk has it.
    ///
    /// - Returns: the account it is written down for.
    public func claim(_ fingerprint: String, for account: Name) throws(StoreError) -> Name {
        let text = try text()
        if let owner = try owner(of: fingerprint, in: text) { return owner }
        try replace(with: text + "\(fingerprint) \(account)\n")
        return account
    }

    private func owner(of fingerprint: String, in text: String) throws(StoreError) -> Name? {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, let account = Name(String(words[1])) else {
                throw StoreError(.corrupt, "\(path): a line in it is not a fingerprint and a provider's name")
            }
            if words[0] == fingerprint { return account }
        }
        return nil
    }

    /// What is in the file; empty where there is none.
    private func text() throws(StoreError) -> String {
        guard try call("cannot be looked at", { () throws(SystemError) in try FileStatus.at(path) }) != nil else {
            return ""
        }
        let text = try call("cannot be read") { () throws(SystemError) in
            let file = try Descriptor(path, O_RDONLY | O_NOFOLLOW)
            let size = min(max(try file.status().size, 1), Self.maximumLength)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
            defer { buffer.deallocate() }
            let count = try file.read(into: buffer)
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
        guard text.isEmpty || text.utf8.last == UInt8(ascii: "\n") else {
            throw StoreError(.corrupt, "\(path): its last line has no end")
        }
        return text
    }

    /// Puts a whole new file in the place of the old one, so that a process that dies half way leaves that as it was.
    private func replace(with text: String) throws(StoreError) {
        let directory = Directory(of: path)
        try directory.judge()
        let draft = path + ".new"
        unlink(draft)
        try call("cannot be written") { () throws(SystemError) in
            let file = try Descriptor(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
            try Array(text.utf8).withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try file.write(bytes) }
            }.get()
            try file.synchronize()
            guard rename(draft, path) == 0 else { throw SystemError.last }
        }
        try directory.synchronize()
    }

    private func call<Result>(
        _ what: String,
        _ body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do { return try body() } catch { throw error.storeError(path, what) }
    }
}
