import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite("Unix listener", .blocking)
struct UnixListenerTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("a.sock")
    }

    @Test("serves a socket with the mode asked for", arguments: [0o666, 0o660, 0o600] as [UInt32])
    func mode(mode: UInt32) throws {
        let listener = try UnixListener(path: path, mode: mode)
        #expect(FileStatus(path)?.permissions == mode)
        #expect(FileStatus(path + ".lock")?.permissions == 0o600)
        let client = try connect(to: path).get()
        #expect(try listener.acceptsOne())
        #expect(try !listener.acceptsOne())
        close(client)
    }

    @Test("its own process connects to it without knowing the path")
    func ownConnection() throws {
        let listener = try UnixListener(path: path, mode: 0o600)
        let client = try listener.connection()
        #expect(fcntl(client.number, F_GETFL) & O_NONBLOCK != 0)
        #expect(try listener.acceptsOne())
        #expect(try !listener.acceptsOne())
    }

    @Test("a connection comes out nonblocking and close-on-exec")
    func connectionFlags() throws {
        let listener = try UnixListener(path: path, mode: 0o600)
        let client = try connect(to: path).get()
        let number = try #require(try listener.accept()?.release())
        #expect(fcntl(number, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        for number in [client, number] { close(number) }
    }

    @Test("the file is born closed to all, and nobody connects before its mode is final")
    func noWindow() throws {
        let address = try UnixAddress(path: path)
        let socket = try UnixAddress.makeSocket()
        let file = try SocketFile(binding: socket, to: address, path: path)
        #expect(FileStatus(path)?.permissions == 0)
        try file.open(to: nil, mode: 0o666)
        #expect(FileStatus(path)?.permissions == 0o666)
        guard case .failure(let error) = connect(to: path) else { return #expect(Bool(false), "it does not listen") }
        #expect(error.number == ECONNREFUSED)
        file.remove()
        #expect(FileStatus(path) == nil)
    }

    @Test("a second instance is refused and the first goes on")
    func secondInstance() throws {
        let first = try UnixListener(path: path, mode: 0o600)
        let before = FileStatus(path)
        #expect(throws: ListenerError(.alreadyRunning, path: path)) { _ = try UnixListener(path: path, mode: 0o600) }
        #expect(FileStatus(path) == before)
        close(try connect(to: path).get())
        #expect(try first.acceptsOne())
    }

    @Test("a socket that is served without the lock is not taken either")
    func servedWithoutLock() throws {
        let first = try UnixListener(path: path, mode: 0o600)
        #expect(unlink(path + ".lock") == 0)
        #expect(throws: ListenerError(.alreadyRunning, path: path)) { _ = try UnixListener(path: path, mode: 0o600) }
        close(try connect(to: path).get())
        first.close()
    }

    @Test("a socket left behind by a killed instance is replaced")
    func stale() throws {
        do {
            // Bound and closed without unlinking, as the kernel does for a process that is killed.
            let socket = try UnixAddress.makeSocket()
            try UnixAddress(path: path).bind(socket)
        }
        let old = FileStatus(path)
        let listener = try UnixListener(path: path, mode: 0o600)
        #expect(FileStatus(path) != old)
        close(try connect(to: path).get())
        #expect(try listener.acceptsOne())
    }

    @Test("a file that is not a socket is in the way and stays", arguments: [false, true])
    func foreignFile(isLink: Bool) throws {
        if isLink {
            #expect(symlink("/nowhere", path) == 0)
        } else {
            close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        }
        let before = try #require(FileStatus(path))
        #expect(throws: ListenerError(.notASocket, path: path)) { _ = try UnixListener(path: path, mode: 0o600) }
        #expect(FileStatus(path) == before)
        unlink(path)
        _ = try UnixListener(path: path, mode: 0o600)
    }

    @Test("a lock that is a symbolic link is refused, and its target not made")
    func linkedLock() throws {
        let target = directory.file("target")
        #expect(symlink(target, path + ".lock") == 0)
        let error = #expect(throws: ListenerError.self) { _ = try UnixListener(path: path, mode: 0o600) }
        #expect(error?.cause?.number == ELOOP)
        #expect(FileStatus(target) == nil)
    }

    @Test("closing removes the file, and leaves another's alone")
    func closing() throws {
        let first = try UnixListener(path: path, mode: 0o600)
        first.close()
        #expect(FileStatus(path) == nil)
        do {
            let socket = try UnixAddress.makeSocket()
            try UnixAddress(path: path).bind(socket)
        }
        let other = try #require(FileStatus(path))
        first.close()
        #expect(FileStatus(path) == other)
    }

    @Test("letting go of a listener closes it and frees the lock")
    func lettingGo() throws {
        do {
            let listener = try UnixListener(path: path, mode: 0o600)
            _ = try listener.accept()
        }
        #expect(FileStatus(path) == nil)
        _ = try UnixListener(path: path, mode: 0o600)
    }

    @Test("who waits when its queue ends can be taken, and nobody joins them")
    func endedQueue() throws {
        let listener = try UnixListener(path: path, mode: 0o600)
        let clients = try (0..<3).map { _ in try connect(to: path).get() }
        let late = try UnixAddress.makeSocket()
        #expect(listener.endQueue())
        #expect(FileStatus(path) == nil)
        #expect(throws: SystemError(call: "connect", number: ENOENT)) { try UnixAddress(path: path).connect(late) }
        for client in clients {
            #expect(try listener.acceptsOne())
            close(client)
        }
        #expect(try !listener.acceptsOne())
    }

    @Test("a closed listener refuses new connections")
    func refusesAfterClose() throws {
        let listener = try UnixListener(path: path, mode: 0o600)
        let alias = directory.file("alias")
        #expect(link(path, alias) == 0)
        listener.close()
        guard case .failure(let error) = connect(to: alias) else { return #expect(Bool(false), "it is closed") }
        #expect(error.number == ECONNREFUSED)
    }

    @Test("takes a path of 107 bytes and refuses one of 108, an empty one and one with a zero byte")
    func pathLength() throws {
        let room = 107 - directory.path.utf8.count - 1
        let longest = directory.file(String(repeating: "x", count: room))
        // The lock's name is longer than a socket's may be, which is no harm: it is a plain file.
        _ = try UnixListener(path: longest, mode: 0o600)
        #expect(throws: ListenerError(.pathTooLong, path: "")) {
            _ = try UnixListener(path: longest + "x", mode: 0o600)
        }
        for path in ["", "\(path)\0"] {
            #expect(throws: ListenerError(.invalidPath, path: "")) { _ = try UnixListener(path: path, mode: 0o600) }
        }
        #expect(FileStatus(longest + "x.lock") == nil)
    }

    @Test("a missing directory is made with its mode, one that is there is left as it is")
    func missingDirectory() throws {
        let nested = directory.file("d") + "/a.sock"
        do {
            let listener = try UnixListener(path: nested, mode: 0o660, directoryMode: 0o750)
            #expect(FileStatus(directory.file("d"))?.permissions == 0o750)
            listener.close()
        }
        do { _ = try UnixListener(path: nested, mode: 0o660, directoryMode: 0o700) }
        #expect(FileStatus(directory.file("d"))?.permissions == 0o750)
        unlink(nested + ".lock")
    }

    @Test("file and new directory get the group asked for", .enabled(if: geteuid() == 0, "only root gives files away"))
    func group() throws {
        let nested = directory.file("d") + "/a.sock"
        let listener = try UnixListener(path: nested, mode: 0o660, group: 4242, directoryMode: 0o750)
        #expect(FileStatus(nested)?.group == 4242)
        #expect(FileStatus(nested)?.permissions == 0o660)
        #expect(FileStatus(directory.file("d"))?.group == 4242)
        listener.close()
        unlink(nested + ".lock")
    }

    @Test(
        "leaves no file behind when it may not give it the group",
        .enabled(if: geteuid() == 0, "only root can become somebody else")
    )
    func failsClean() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            guard chmod(directory.path, 0o777) == 0, setgroups(0, nil) == 0, seteuid(65_534) == 0 else { exit(2) }
            let path = directory.file("a.sock")
            do throws(ListenerError) {
                _ = try UnixListener(path: path, mode: 0o660, group: 4242)
                exit(3)
            } catch {
                exit(error.cause?.number == EPERM && FileStatus(path) == nil ? EXIT_SUCCESS : 4)
            }
        }
    }

    @Test("says where, why, and by which call")
    func description() {
        #expect("\(ListenerError(.alreadyRunning, path: "/run/a"))" == "/run/a: another process serves it")
        let cause = SystemError(call: "bind", number: EACCES)
        #expect("\(ListenerError(.systemCall, path: "/run/a", cause: cause))" == "/run/a: bind: Permission denied")
        let group = ListenerError(.systemCall, path: "/run/a", cause: SystemError(call: "chown", number: EPERM))
        #expect("\(group)".hasPrefix("/run/a: chown: Operation not permitted: only root, or a member of the group"))
    }
}

@Suite("Unix listener: adopted sockets", .blocking)
struct AdoptedListenerTests {
    @Test("takes over a listening socket, and leaves it and its file to their owner")
    func adopts() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.sock")
        let owner = try UnixAddress.makeSocket()
        try UnixAddress(path: path).bind(owner)
        #expect(listen(owner.number, 16) == 0)
        let inherited = dup(owner.number)
        #expect(fcntl(inherited, F_SETFL, 0) == 0, "systemd's sockets block")

        let listener = try UnixListener(adopting: Descriptor(owning: inherited))
        #expect(fcntl(inherited, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(inherited, F_GETFL) & O_NONBLOCK != 0)
        close(try connect(to: path).get())
        #expect(try listener.acceptsOne())
        _ = try listener.connection()
        #expect(try listener.acceptsOne())
        #expect(!listener.endQueue())
        listener.close()
        #expect(FileStatus(path) != nil)
        close(try connect(to: path).get())
    }

    @Test(
        "refuses what is not a listening Unix stream socket",
        arguments: ["connected", "bound", "datagram", "tcp", "file"]
    )
    func refuses(kind: String) throws {
        let number: Int32
        switch kind {
        case "connected":
            let ends = try SocketPair().split()
            close(ends.far)
            number = ends.near
        case "bound": number = try UnixAddress.makeSocket().release()
        case "datagram": number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        case "tcp":
            number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #expect(listen(number, 1) == 0)
        default: number = open("/dev/null", O_RDONLY)
        }
        #expect(throws: ListenerError(.notAListener, path: "")) {
            _ = try UnixListener(adopting: Descriptor(owning: number))
        }
    }
}
