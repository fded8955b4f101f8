import Glibc
import Testing

@testable import EventLoop

@Suite("Peer process")
struct PeerProcessTests {
    @Test("is the process that connected, by pidfd and by start time", arguments: [false, true])
    func ownProcess(forcingStartTime: Bool) throws {
        let pair = try SocketPair()
        let credentials = try PeerCredentials(of: pair.near)
        let process = try PeerProcess(of: pair.near, credentials: credentials, forcingStartTime: forcingStartTime)
        #expect(process.executable == (try FileIdentity(ofFileAt: "/proc/self/exe")))
    }

    @Test("another user's process under the peer's number is not the peer", arguments: [false, true])
    func otherUser(forcingStartTime: Bool) throws {
        let pair = try SocketPair()
        let own = try PeerCredentials(of: pair.near)
        let other = PeerCredentials(pid: own.pid, uid: own.uid + 1, gid: own.gid, groups: [])
        #expect(throws: PeerProcess.Failure.gone) {
            _ = try PeerProcess(of: pair.near, credentials: other, forcingStartTime: forcingStartTime)
        }
    }

    @Test("a peer that has ended is gone, also while its parent has not noticed", arguments: [false, true])
    func ended(forcingStartTime: Bool) throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixListener(path: directory.file("a.sock"), mode: 0o600)
        let child = try startChild(connectingTo: directory.file("a.sock"))
        waitUntilEnded(child)
        guard let connection = try listener.accept() else { return #expect(Bool(false), "the child connected") }
        let credentials = try PeerCredentials(of: connection)
        #expect(credentials.pid == child)

        #expect(throws: PeerProcess.Failure.gone, "a zombie") {
            _ = try PeerProcess(of: connection, credentials: credentials, forcingStartTime: forcingStartTime)
        }
        waitpid(child, nil, 0)
        #expect(throws: PeerProcess.Failure.gone, "no process of that number") {
            _ = try PeerProcess(of: connection, credentials: credentials, forcingStartTime: forcingStartTime)
        }
    }

    @Test("a peer of another PID namespace cannot be looked at")
    func unseen() throws {
        let pair = try SocketPair()
        let credentials = PeerCredentials(pid: 0, uid: 0, gid: 0, groups: [])
        #expect(throws: PeerProcess.Failure.unseen) { _ = try PeerProcess(of: pair.near, credentials: credentials) }
    }

    @Test("a peer that changed its user without being executed again is known", .enabled(if: geteuid() == 0))
    func changedUser() throws {
        let directory = try TemporaryDirectory()
        #expect(chmod(directory.path, 0o755) == 0)
        let listener = try UnixListener(path: directory.file("a.sock"), mode: 0o666)
        let child = try startChild(
            connectingTo: directory.file("a.sock"),
            before: "$> = 65534",
            after: "sysread S, $b, 1"
        )
        let loop = try EventLoop()
        let watch = try listener.watch(on: loop, Recorder())
        loop.runOnce()
        loop.unwatch(watch)
        do {
            guard let connection = try listener.accept() else { return #expect(Bool(false), "the child connected") }
            let credentials = try PeerCredentials(of: connection)
            #expect(credentials.uid == 65_534)
            _ = try PeerProcess(of: connection, credentials: credentials, forcingStartTime: true)
        }
        waitpid(child, nil, 0)
    }

    /// Starts a child that connects, between two pieces of its program.
    private func startChild(connectingTo path: String, before: String = "", after: String = "") throws -> pid_t {
        var child = pid_t()
        let connect = "socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($ARGV[0])) or exit 1"
        let words: [String] = ["perl", "-e", "use Socket; \(before); \(connect); \(after)", path]
        let arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        let failure = posix_spawnp(&child, "perl", nil, nil, arguments, environ)
        guard failure == 0 else { throw SystemError(call: "posix_spawn", number: failure) }
        return child
    }

    private func waitUntilEnded(_ child: pid_t) {
        var information = siginfo_t()
        waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT)
    }
}
