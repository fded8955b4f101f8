import FoundationEssentials
import Glibc

/// A folder for one test, removed with everything in it when the test lets go of it.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("/tmp/storage-tests.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no temporary folder") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var storePath: String { "\(path)/broker.sqlite" }
    var keyPath: String { "\(path)/store.key" }

    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    func bytes(of path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(filePath: path))).map(Array.init) ?? []
    }

    /// Writes a file with exactly these permissions, whatever the umask is.
    func write(_ path: String, _ bytes: [UInt8], permissions: mode_t = 0o600) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
            fchmod(descriptor, permissions) == 0, close(descriptor) == 0
        else { fatalError("cannot write \(path)") }
    }

    func permissions(of path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
