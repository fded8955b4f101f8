import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Stream sockets", .blocking)
struct StreamSocketTests {
    @Test("tells bytes, nothing yet and the end apart")
    func reading() throws {
        let pair = try SocketPair()
        #expect(pair.near.readText().0 == .wouldBlock)
        #expect(pair.far.send(text: "hello") == .bytes(5))
        pair.far.shutdownWriting()
        #expect(pair.near.readText() == (.bytes(5), "hello"))
        #expect(pair.near.readText().0 == .endOfStream)
        #expect(pair.near.send(text: "still open") == .bytes(10))
    }

    @Test("what was sent before the reading ended can be read, and what comes later fails at its sender")
    func endedReading() throws {
        let pair = try SocketPair()
        #expect(pair.far.send(text: "in time") == .bytes(7))
        pair.near.shutdownReading()
        #expect(pair.far.send(text: "late") == .failed(SystemError(call: "send", number: EPIPE)))
        #expect(pair.near.readText() == (.bytes(7), "in time"))
        #expect(pair.near.readText().0 == .endOfStream)
        #expect(pair.near.send(text: "answer") == .bytes(6))
        #expect(pair.far.readText() == (.bytes(6), "answer"))
    }

    @Test("a full socket takes a part, then would block")
    func full() throws {
        let pair = try SocketPair()
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        guard case .bytes(let count) = bytes.withUnsafeBytes({ pair.near.send($0) }) else {
            return #expect(Bool(false), "the first bytes have room")
        }
        #expect(count < bytes.count)
        #expect(pair.near.send(text: "more") == .wouldBlock)
    }

    @Test("writing to a peer that is gone is an error, not the death of the process")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let (near, far) = try SocketPair().split()
            close(far)
            let result = Descriptor(owning: near).send(text: "x")
            exit(result == .failed(SystemError(call: "send", number: EPIPE)) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("an error says which call failed and why, and nothing else")
    func description() {
        #expect("\(SystemError(call: "bind", number: EACCES))" == "bind: Permission denied")
        #expect("\(SystemError(call: "bind", number: 99_999))" == "bind: Unknown error")
    }

    @Test("a descriptor is closed with its owner, and not when it was given away")
    func ownership() throws {
        let (near, far) = try SocketPair().split()
        do {
            let owner = Descriptor(owning: near)
            #expect(fcntl(owner.number, F_GETFD) == FD_CLOEXEC)
        }
        #expect(Descriptor(owning: far).readText().0 == .endOfStream, "the other end was closed")
    }
}

@Suite("System clock")
struct SystemClockTests {
    @Test("reads a boot clock that does not go back and a wall clock after 2024")
    func reading() {
        let first = SystemClock.bootNanoseconds()
        #expect(first > 0)
        #expect(SystemClock.bootNanoseconds() >= first)
        #expect(SystemClock.wallNanoseconds() > 1_704_067_200_000_000_000)
    }
}
