import Glibc

/// What the kernel says about files and processes.
enum Files {
    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "re") else { throw HarnessError.system("fopen") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
        return bytes
    }

    /// What a directory holds.
    static func names(_ path: String) throws -> Set<String> {
        guard let directory = opendir(path) else { throw HarnessError.system("opendir") }
        defer { closedir(directory) }
        var names: Set<String> = []
        while let entry = readdir(directory) { names.insert(name(of: entry)) }
        return names
    }

    private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
        }
    }

    /// Nil where there is no such file.
    static func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    static func permissions(_ path: String) -> mode_t? {
        status(path).map { $0.st_mode & 0o7777 }
    }

    static func removeTree(_ path: String) {
        if let directory = opendir(path) {
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = name(of: entry)
                // What is no directory cannot be opened as one, and is removed as it is.
                if name != ".", name != ".." { removeTree("\(path)/\(name)") }
            }
        }
        _ = remove(path)
    }
}
