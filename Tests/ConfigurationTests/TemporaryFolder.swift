import FoundationEssentials
import Glibc

/// A folder for one test, removed with everything in it when the test lets go of it.
final class TemporaryFolder {
    let path: String

    init() {
        var template = Array("/tmp/configuration-tests.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { fatalError("no temporary folder") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Writes a file with exactly these permissions, whatever the umask is.
    @discardableResult
    func write(_ name: String, _ content: some Sequence<UInt8>, permissions: mode_t = 0o600) -> String {
        let file = path(of: name)
        let bytes = Array(content)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, Glibc.write(descriptor, bytes, bytes.count) == bytes.count,
            fchmod(descriptor, permissions) == 0, close(descriptor) == 0
        else { fatalError("cannot write \(file)") }
        return file
    }

    @discardableResult
    func write(_ name: String, _ text: String, permissions: mode_t = 0o600) -> String {
        write(name, text.utf8, permissions: permissions)
    }

    func makeFolder(_ name: String) {
        guard mkdir(path(of: name), 0o700) == 0 else { fatalError("cannot make \(name)") }
    }
}
