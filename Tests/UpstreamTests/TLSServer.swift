import Glibc

/// The `openssl` program as a TLS server with a self-signed certificate; it answers every GET with a page.
final class TLSServer {
    static let isAvailable: Bool = (try? run(["openssl", "version"])) != nil

    let port: UInt16
    let certificateFile: String
    private let directory: String
    private let process: pid_t

    init(host: String) throws {
        var template = Array("/tmp/tokenbroker-tls-XXXXXX\0".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(number: errno) }
        let directory = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.directory = directory
        certificateFile = directory + "/certificate.pem"
        let keyFile = directory + "/key.pem"
        try Self.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=\(host)", "-addext", "subjectAltName=DNS:\(host)", "-keyout", keyFile, "-out",
            certificateFile,
        ])
        let (process, output) = try Self.start([
            "openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", certificateFile, "-key", keyFile,
        ])
        self.process = process
        port = try Self.readPort(output)
    }

    func stop() {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        for name in ["/certificate.pem", "/key.pem"] { unlink(directory + name) }
        rmdir(directory)
    }

    /// Reads up to the line `ACCEPT 127.0.0.1:PORT`, by which the server is listening.
    private static func readPort(_ output: Int32) throws -> UInt16 {
        defer { close(output) }
        var text = ""
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            guard byte == UInt8(ascii: "\n") else { continue }
            if let start = text.firstRange(of: "ACCEPT 127.0.0.1:"),
                let port = UInt16(text[start.upperBound...].prefix { $0.isNumber })
            {
                return port
            }
        }
        throw SystemError(number: EPIPE)
    }

    private static func run(_ arguments: [String]) throws {
        let (process, output) = try start(arguments)
        var chunk = [UInt8](repeating: 0, count: 4096)
        while read(output, &chunk, chunk.count) > 0 {}
        close(output)
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process, status == 0 else { throw SystemError(number: status) }
    }

    /// Starts a program with its output in a pipe and nothing else of this process's descriptors.
    private static func start(_ arguments: [String]) throws -> (process: pid_t, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemError(number: errno) }
        defer { close(ends[1]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        var argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        let result = posix_spawnp(&process, arguments[0], &actions, nil, &argv, environ)
        guard result == 0 else {
            close(ends[0])
            throw SystemError(number: result)
        }
        return (process, ends[0])
    }
}
