import Glibc

/// A directory of a test's own, removed with all that is in it when the test lets go of it.
///
/// Its path is short, because the path of a Unix socket must be.
final class Scratch {
    let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/tb-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw HarnessError.system("mkdtemp") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Other users reach the sockets in it.
        guard chmod(path, 0o755) == 0 else { throw HarnessError.system("chmod") }
    }

    deinit {
        Files.removeTree(path)
    }

    func path(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file in one step, so that whoever reads it finds the old text or the new.
    @discardableResult
    func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws -> String {
        let (path, draft) = (path(name), path("." + name.split(separator: "/").joined(separator: "-")))
        guard let file = fopen(draft, "we") else { throw HarnessError.system("fopen") }
        fputs(text, file)
        guard fclose(file) == 0 else { throw HarnessError.system("fclose") }
        guard chmod(draft, mode) == 0 else { throw HarnessError.system("chmod") }
        guard rename(draft, path) == 0 else { throw HarnessError.system("rename") }
        return path
    }

    func makeDirectory(_ name: String) throws {
        guard mkdir(path(name), 0o755) == 0 else { throw HarnessError.system("mkdir") }
    }
}
