import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

/// A listener whose connections always wait, and whose `accept` does what the test says.
private final class ScriptedListener: Listener {
    enum Step {
        case connection
        case nothing
        case failure(Int32)
    }

    private let readable: Descriptor
    private let far: Descriptor
    private let script = Mutex<[Step]>([])
    private let calls = Mutex(0)
    private let isOwn: Bool

    /// - Parameter isOwn: Whether nobody else listens on it.
    init(isOwn: Bool = false) throws {
        self.isOwn = isOwn
        let (near, far) = try SocketPair().split()
        readable = Descriptor(owning: near)
        self.far = Descriptor(owning: far)
        _ = self.far.send(text: "x")
    }

    var accepts: Int { calls.withLock { $0 } }

    func play(_ steps: [Step]) {
        script.withLock { $0 = steps }
    }

    func watch(on loop: EventLoop, _ handler: any ReadinessHandler) throws(SystemError) -> Watch {
        try loop.watch(readable, for: .read, handler)
    }

    func accept() throws(SystemError) -> Descriptor? {
        calls.withLock { $0 += 1 }
        switch script.withLock({ $0.isEmpty ? .nothing : $0.removeFirst() }) {
        case .connection: return Descriptor(owning: dup(far.number))
        case .nothing: return nil
        case .failure(let number): throw SystemError(call: "accept4", number: number)
        }
    }

    func endQueue() -> Bool { isOwn }
}

@Suite("Acceptor", .blocking)
struct AcceptorTests {
    private let clock: ManualClock
    private let loop: EventLoop
    private let listener: ScriptedListener
    private let seen = Seen()

    /// What the acceptor called back with.
    private final class Seen {
        var connections = 0
        var shortages: [SystemError] = []
        var newShortages = 0
        var failures: [SystemError] = []
    }

    init() throws {
        let clock = ManualClock()
        self.clock = clock
        loop = try EventLoop(clock: { clock.read() })
        listener = try ScriptedListener()
    }

    @Test("takes what waits, but only so many in one turn")
    func bounded() throws {
        let acceptor = try makeAcceptor()
        listener.play(Array(repeating: .connection, count: 100))
        turn()
        #expect(seen.connections == 64)
        turn()
        #expect(seen.connections == 100)
        acceptor.stop()
    }

    @Test("rests 100 ms when descriptors or memory run out", arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
    func rests(number: Int32) throws {
        let acceptor = try makeAcceptor()
        listener.play([.connection, .failure(number), .connection])
        turn()
        #expect(seen.connections == 1)
        #expect(seen.shortages.map(\.number) == [number])
        let accepts = listener.accepts
        clock.advance(by: .milliseconds(99))
        for _ in 0..<10 { turn() }
        #expect(listener.accepts == accepts, "it does not spin")
        clock.advance(by: .milliseconds(1))
        turn()
        turn()
        #expect(seen.connections == 2)
        acceptor.stop()
    }

    @Test("says of each shortage whether it is new, also where connections are taken in between")
    func reportsNew() throws {
        let acceptor = try makeAcceptor()
        listener.play([.failure(EMFILE), .failure(EMFILE), .connection, .failure(EMFILE)])
        for expected in 1...3 {
            turn()
            #expect(seen.shortages.count == expected)
            #expect(seen.newShortages == 1)
            clock.advance(by: Acceptor.pause)
            turn()
        }
        #expect(seen.connections == 1)
        clock.advance(by: Acceptor.calm)
        listener.play([.failure(EMFILE)])
        turn()
        #expect(seen.newShortages == 2)
        acceptor.stop()
    }

    @Test("a descriptor that is freed ends the rest in the next turn, and what is still missing is not new")
    func descriptorFreed() throws {
        let acceptor = try makeAcceptor()
        listener.play([.failure(EMFILE), .failure(EMFILE), .connection])
        turn()
        for accepts in 2...3 {
            acceptor.descriptorFreed()
            clock.advance(by: .nanoseconds(1))
            turn()
            turn()
            #expect(listener.accepts >= accepts)
        }
        #expect(seen.shortages.count == 2)
        #expect(seen.newShortages == 1)
        #expect(seen.connections == 1)
        acceptor.stop()
    }

    @Test("a connection over the limit waits until a lower number is free, and is then the first")
    func limit() async {
        // In a process of its own: the numbers of its descriptors must be nobody else's to take or to free.
        await #expect(processExitsWith: .success) {
            try AcceptorTests().waitForLowerNumber()
            exit(EXIT_SUCCESS)
        }
    }

    private func waitForLowerNumber() throws {
        let lower = Descriptor(owning: dup(STDERR_FILENO))
        let number = lower.number
        let acceptor = try makeAcceptor(limit: number + 1)
        listener.play([.connection])
        turn()
        #expect(seen.connections == 0)
        #expect(seen.shortages.map(\.number) == [EMFILE])
        clock.advance(by: Acceptor.pause)
        turn()
        #expect(seen.connections == 0)
        drop(lower)
        acceptor.descriptorFreed()
        clock.advance(by: .nanoseconds(1))
        turn()
        #expect(seen.connections == 1)
        acceptor.stop()
    }

    @Test(
        "one connection's own error does not hold up the next",
        arguments: [ECONNABORTED, EPERM, EPROTO, ENETDOWN, EHOSTUNREACH]
    )
    func abortedConnection(number: Int32) throws {
        let acceptor = try makeAcceptor()
        listener.play([.failure(number), .connection])
        turn()
        #expect(seen.connections == 1)
        #expect(seen.failures.isEmpty)
        acceptor.stop()
    }

    @Test("a dead listener is reported once and left")
    func deadListener() throws {
        _ = try makeAcceptor()
        listener.play([.failure(EINVAL), .failure(EINVAL)])
        turn()
        turn()
        #expect(seen.failures.map(\.number) == [EINVAL])
        #expect(listener.accepts == 1)
    }

    @Test("stopped, it takes all who wait in its own queue, and nobody after them")
    func stoppedWithOwnQueue() throws {
        let own = try ScriptedListener(isOwn: true)
        let acceptor = try makeAcceptor(of: own)
        own.play([.failure(EMFILE)])
        turn()
        own.play(Array(repeating: .connection, count: 100) + [.failure(ECONNABORTED), .connection])
        acceptor.stop()
        #expect(seen.connections == 101)
        own.play([.connection])
        clock.advance(by: Acceptor.pause)
        turn()
        #expect(seen.connections == 101)
    }

    @Test("stopped while a connection waits for a lower number, it takes that one, and no more over the limit")
    func stoppedWithHeld() throws {
        let own = try ScriptedListener(isOwn: true)
        let acceptor = try makeAcceptor(of: own, limit: 0)
        own.play([.connection])
        turn()
        #expect(seen.connections == 0)
        own.play([.connection, .connection])
        acceptor.stop()
        #expect(seen.connections == 1)
        #expect(own.accepts == 2)
    }

    @Test("stopped, it leaves to others who waits in their queue, and takes nobody out of a rest")
    func stopped() throws {
        let acceptor = try makeAcceptor()
        listener.play([.failure(EMFILE), .connection])
        turn()
        acceptor.stop()
        clock.advance(by: Acceptor.pause)
        turn()
        turn()
        #expect(seen.connections == 0)
    }

    @Test("really out of descriptors, it reports, rests, and takes the connection when there are some again")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let clock = ManualClock()
            let loop = try EventLoop(clock: { clock.read() })
            let listener = try UnixListener(path: directory.file("a.sock"), mode: 0o600)
            var shortages = 0
            var connections = 0
            let acceptor = try Acceptor(
                loop: loop,
                listener: listener,
                onConnection: { _ in connections += 1 },
                onShortage: { _, _ in shortages += 1 },
                onFailure: { _ in exit(2) }
            )
            _ = try connect(to: directory.file("a.sock")).get()
            var limit = rlimit()
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            getrlimit(resource, &limit)
            let usual = limit.rlim_cur
            limit.rlim_cur = 3
            setrlimit(resource, &limit)
            loop.runOnce(waiting: false)
            guard shortages == 1, connections == 0 else { exit(3) }
            limit.rlim_cur = usual
            setrlimit(resource, &limit)
            clock.advance(by: Acceptor.pause)
            loop.runOnce(waiting: false)
            loop.runOnce(waiting: false)
            acceptor.stop()
            listener.close()
            exit(connections == 1 ? EXIT_SUCCESS : 4)
        }
    }

    private func makeAcceptor(of other: ScriptedListener? = nil, limit: Int32 = .max) throws -> Acceptor {
        try Acceptor(
            loop: loop,
            listener: other ?? listener,
            limit: limit,
            onConnection: { [seen] _ in seen.connections += 1 },
            onShortage: { [seen] error, isNew in
                seen.shortages.append(error)
                seen.newShortages += isNew ? 1 : 0
            },
            onFailure: { [seen] in seen.failures.append($0) }
        )
    }

    private func turn() {
        loop.runOnce(waiting: false)
    }

    private func drop(_: consuming Descriptor) {}
}
