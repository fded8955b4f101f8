import Glibc
import TestSupport
import Testing

@testable import Logging

@Suite("Standard error output", .blocking)
struct StandardErrorOutputTests {
    static func record(_ count: Int) -> LogRecord {
        LogRecord(unixMilliseconds: 0, level: .info, message: "Seen", metadata: [.count: LogValue(count)])
    }

    @Test("writes one line a record")
    func lines() throws {
        let pipe = try Pipe()
        let output = StandardErrorOutput(descriptor: pipe.writeEnd)
        output.write(Self.record(1))
        output.write(Self.record(2))
        #expect(
            pipe.readAvailable()
                == "1970-01-01T00:00:00.000Z info Seen count=1\n1970-01-01T00:00:00.000Z info Seen count=2\n"
        )
    }

    @Test("a full pipe loses lines instead of blocking, and the next line says how many", .timeLimit(.minutes(10)))
    func full() throws {
        let pipe = try Pipe()
        let output = StandardErrorOutput(descriptor: pipe.writeEnd)
        let written = 10_000
        for count in 1...written { output.write(Self.record(count)) }
        let before = pipe.readAvailable().split(separator: "\n").count
        output.write(Self.record(written + 1))
        #expect(before < written)
        #expect(
            pipe.readAvailable()
                == """
                1970-01-01T00:00:00.000Z warning Log lines were lost count=\(written - before)
                1970-01-01T00:00:00.000Z info Seen count=\(written + 1)

                """
        )
    }

    @Test("a terminal nobody reads does not block", .timeLimit(.minutes(10)))
    func terminal() throws {
        var (primary, secondary): (Int32, Int32) = (-1, -1)
        try #require(openpty(&primary, &secondary, nil, nil, nil) == 0)
        defer { for end in [primary, secondary] { close(end) } }
        let output = StandardErrorOutput(descriptor: secondary)
        for count in 1...10_000 { output.write(Self.record(count)) }
        #expect(fcntl(secondary, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test("a pipe whose reader is gone is no signal and no error")
    func readerGone() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGPIPE, SIG_DFL)
            let pipe = try Pipe()
            close(pipe.readEnd)
            StandardErrorOutput(descriptor: pipe.writeEnd).write(StandardErrorOutputTests.record(1))
            exit(7)
        }
    }

    @Test("a closed descriptor is no error")
    func closed() {
        StandardErrorOutput(descriptor: 1_000_000).write(Self.record(1))
    }
}

/// Both ends of a pipe, closed at the end.
private final class Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        (readEnd, writeEnd) = (ends[0], ends[1])
        _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// What is in the pipe now.
    func readAvailable() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(readEnd, &buffer, buffer.count), count > 0 { text += buffer[..<count] }
        return String(decoding: text, as: UTF8.self)
    }
}
