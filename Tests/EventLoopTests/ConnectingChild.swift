import Glibc

@testable import EventLoop

/// A process that connects to a socket of the test's, then does what its program says.
final class ConnectingChild {
    let pid: pid_t
    /// The accepted end.
    let connection: Descriptor
    let credentials: PeerCredentials
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - before: Perl that runs before it connects.
    ///   - after: Perl that runs then, with the socket as `S`. Left alone it lives until it is told to go on.
    ///   - launcher: The words that start Perl.
    init(
        before: String = "",
        after: String = "sysread S, $b, 1",
        launcher: [String] = ["perl"]
    ) throws {
        directory = try TemporaryDirectory()
        guard chmod(directory.path, 0o755) == 0 else { throw SystemError(call: "chmod", number: errno) }
        let path = directory.file("a.sock")
        let listener = try UnixListener(path: path, mode: 0o666)
        // `$^F` lets the socket outlive an exec.
        let connect = "$^F = 99; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($ARGV[0])) or exit 1"
        let child = try Self.spawn(launcher + ["-e", "use Socket; \(before); \(connect); \(after)", path])
        let loop = try EventLoop()
        let watch = try listener.watch(on: loop, Recorder())
        loop.runOnce()
        loop.unwatch(watch)
        guard let accepted = try listener.accept() else { throw SystemError(call: "accept", number: EAGAIN) }
        credentials = try PeerCredentials(of: accepted)
        connection = accepted
        pid = child
    }

    deinit {
        // A test that has waited for it left its number to whoever comes next.
        var information = siginfo_t()
        guard waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    func look(
        forcingStartTime: Bool = false,
        beforeProof: () -> Void = {}
    ) throws(PeerProcess.Failure) -> PeerProcess {
        try PeerProcess(
            of: connection,
            credentials: credentials,
            forcingStartTime: forcingStartTime,
            beforeProof: beforeProof
        )
    }

    /// Whether it lives, to be sure that a test is about a peer that does.
    var isAlive: Bool {
        var information = siginfo_t()
        return waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo == 0
    }

    /// Lets the child go on.
    func go() {
        _ = connection.send(text: "x")
    }

    /// Waits until somebody has written into the child's end.
    func waitForWord() {
        var request = pollfd(fd: connection.number, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, -1) == -1, errno == EINTR {}
        _ = connection.readText()
    }

    /// Waits until the child has ended, and leaves it a zombie.
    func waitUntilEnded() {
        var information = siginfo_t()
        waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT)
    }

    private static func spawn(_ words: [String]) throws -> pid_t {
        var child = pid_t()
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let failure = posix_spawnp(&child, words[0], nil, nil, arguments, environ)
        guard failure == 0 else { throw SystemError(call: "posix_spawn", number: failure) }
        return child
    }
}
