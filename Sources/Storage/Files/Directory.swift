internal import Glibc
internal import TokenBroker

/// The directory that a file of the store is in.
///
/// Whoever may write there could put a file of their own in the place of the store, its `-wal` or its key between two
/// system calls. That is why the directory is judged, and why its files can then be handled by name.
struct Directory {
    let path: String

    init(of file: String) {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            path = "."
            return
        }
        path = slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// - Throws: ``StoreError`` with the command that mends it, where others could change what is in the directory.
    func judge() throws(StoreError) {
        let status = try system("cannot be opened") { () throws(SystemError) in
            try Descriptor(path, O_RDONLY | O_DIRECTORY).status()
        }
        guard status.isOurs else {
            throw StoreError(
                .unavailable,
                "\(path): uid \(status.owner) owns it, which is neither root nor the daemon: chown \(geteuid()) \(path)"
            )
        }
        guard status.permissions & 0o022 == 0 else {
            throw StoreError(.unavailable, "\(path): others than its owner may write to it: chmod go-w \(path)")
        }
    }

    /// The names in it.
    func names() throws(SystemError) -> [String] {
        guard let stream = opendir(path) else { throw SystemError.last }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { $0.prefix { $0 != 0 } }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    /// Waits until the disk has the names in it.
    func synchronize() throws(StoreError) {
        try system("cannot be written to the disk") { () throws(SystemError) in
            try Descriptor(path, O_RDONLY | O_DIRECTORY).synchronize()
        }
    }

    private func system<Result>(
        _ what: String,
        _ body: () throws(SystemError) -> Result
    ) throws(StoreError) -> Result {
        do { return try body() } catch { throw error.storeError(path, what) }
    }
}
