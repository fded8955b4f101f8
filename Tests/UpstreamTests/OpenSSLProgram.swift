import Glibc

/// The `openssl` program: what it makes and says owes nothing to the code under test.
enum OpenSSLProgram {
    static let isAvailable: Bool = (try? run(["version"])) != nil

    /// Waits for its end.
    ///
    /// - Returns: what it wrote to its output.
    @discardableResult
    static func run(_ arguments: [String]) throws -> [UInt8] {
        let (process, output) = try start(arguments)
        defer { close(output) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        var status: Int32 = 0
        guard waitpid(process, &status, 0) == process, status == 0 else { throw SystemError(number: status) }
        return bytes
    }

    /// Starts it with its output in a pipe and nothing else of this process's descriptors.
    static func start(_ arguments: [String]) throws -> (process: pid_t, output: Int32) {
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
        var argv: [UnsafeMutablePointer<CChar>?] = (["openssl"] + arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        let result = posix_spawnp(&process, "openssl", &actions, nil, &argv, environ)
        guard result == 0 else {
            close(ends[0])
            throw SystemError(number: result)
        }
        return (process, ends[0])
    }
}
