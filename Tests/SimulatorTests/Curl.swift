import Glibc
import Simulator

/// Runs curl, which trusts one authority.
struct Curl {
    private static let path = "/usr/bin/curl"

    static var isInstalled: Bool { access(path, X_OK) == 0 }

    private let directory: String

    init(authorityPEM: String) throws {
        var template = Array("/tmp/simulator-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ClientError(description: "mkdtemp: errno \(errno)") }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard let file = fopen(directory + "/ca.pem", "w") else { throw ClientError(description: "errno \(errno)") }
        fputs(authorityPEM, file)
        fclose(file)
    }

    func removeFiles() {
        for name in ["/ca.pem", "/output", ""] { _ = remove(directory + name) }
    }

    func health(_ host: String, _ simulator: Simulator) -> String {
        "https://\(host):\(simulator.httpsPort)/control/healthz"
    }

    /// - Returns: curl's exit status and what it printed.
    func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let all = [Self.path, "--silent", "--max-time", "60", "--noproxy", "*", "--cacert", directory + "/ca.pem"]
        var words = (all + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let output = directory + "/output"
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var process: pid_t = 0
        guard posix_spawn(&process, Self.path, &actions, nil, &words, environ) == 0 else {
            throw ClientError(description: "cannot start curl")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) == -1, errno == EINTR {}
        return ((status >> 8) & 0xFF, contents(of: output))
    }

    private func contents(of path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }
}
