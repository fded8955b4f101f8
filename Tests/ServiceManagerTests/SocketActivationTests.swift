import Glibc
import TestSupport
import Testing

@testable import ServiceManager

/// Sockets at a run of free descriptor numbers, as systemd passes them from 3 on.
private final class PassedSockets {
    /// Above what the test process has open, below the usual limit; the suite is serialized.
    let first: Int32 = 1000
    private let count: Int32

    /// - Parameter types: nil leaves a gap in the run.
    init(_ types: [__socket_type?], listening: Bool = true) throws {
        count = Int32(types.count)
        for (index, type) in types.enumerated() {
            guard let type else { continue }
            let name = [0] + Array("tokenbroker-activation-\(getpid())-\(UInt64.random(in: 0 ... .max))".utf8)
            let descriptor = try boundSocket(type: type, name: name)
            if listening, type == SOCK_STREAM { try #require(listen(descriptor, 1) == 0) }
            try #require(dup2(descriptor, first + Int32(index)) >= 0)
            close(descriptor)
        }
    }

    deinit {
        for descriptor in first..<(first + count) { close(descriptor) }
    }

    func take(_ names: String?) throws(SocketActivationError) -> SocketActivation {
        var environment = ["LISTEN_PID": "42", "LISTEN_FDS": String(count)]
        environment["LISTEN_FDNAMES"] = names
        let expected: Set = ["apps", "admin"]
        return try SocketActivation.take(environment: environment, expected: expected, first: first, process: 42)
    }
}

@Suite("Socket activation", .blocking, .serialized)
struct SocketActivationTests {
    @Test(
        "finds the sockets by name, in whatever order they came",
        arguments: [["apps", "admin"], ["admin", "apps"]]
    )
    func byName(_ names: [String]) throws {
        let sockets = try PassedSockets([SOCK_STREAM, SOCK_STREAM])
        let taken = try sockets.take(names.joined(separator: ":"))
        #expect(taken.descriptors == [names[0]: sockets.first, names[1]: sockets.first + 1])
    }

    @Test("does not leak the sockets to programs it starts")
    func closeOnExec() throws {
        let sockets = try PassedSockets([SOCK_STREAM])
        try #require(fcntl(sockets.first, F_GETFD) == 0)
        _ = try sockets.take("apps")
        #expect(fcntl(sockets.first, F_GETFD) == FD_CLOEXEC)
    }

    @Test(
        "takes nothing that was passed to another process, or not at all",
        arguments: [
            [:], ["LISTEN_PID": "41", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "apps"], ["LISTEN_FDS": "1"],
            ["LISTEN_PID": "42"], ["LISTEN_PID": "42", "LISTEN_FDS": "0"],
        ]
    )
    func nothing(_ environment: [String: String]) throws {
        let taken = try SocketActivation.take(environment: environment, expected: ["apps"], first: 3, process: 42)
        #expect(taken.descriptors.isEmpty)
    }

    @Test(
        "refuses variables that are not numbers in range",
        arguments: [
            ("x", "1", "LISTEN_PID"), ("42", "-1", "LISTEN_FDS"), ("42", "", "LISTEN_FDS"),
            ("42", "65", "LISTEN_FDS"), ("42", "2147483648", "LISTEN_FDS"),
        ]
    )
    func malformed(_ process: String, _ count: String, _ variable: String) {
        let environment = ["LISTEN_PID": process, "LISTEN_FDS": count, "LISTEN_FDNAMES": "apps"]
        #expect(throws: SocketActivationError.malformedVariable(variable)) {
            try SocketActivation.take(environment: environment, expected: ["apps"], first: 3, process: 42)
        }
    }

    @Test("refuses a name it does not serve, and says which it does")
    func unexpected() throws {
        let sockets = try PassedSockets([SOCK_STREAM])
        let error = SocketActivationError.unexpectedName("tokenbroker.socket", expected: ["admin", "apps"])
        #expect(throws: error) { try sockets.take("tokenbroker.socket") }
        #expect(error.description.contains("FileDescriptorName="))
    }

    @Test("refuses two sockets of one name")
    func duplicate() throws {
        let sockets = try PassedSockets([SOCK_STREAM, SOCK_STREAM])
        #expect(throws: SocketActivationError.duplicateName("apps")) { try sockets.take("apps:apps") }
    }

    @Test("refuses another number of names than of sockets", arguments: [("apps", 1), ("apps:admin:x", 3), (nil, 1)])
    func count(_ names: String?, _ count: Int) throws {
        let sockets = try PassedSockets([SOCK_STREAM, SOCK_STREAM])
        #expect(throws: SocketActivationError.namesDoNotMatch(names: count, descriptors: 2)) {
            try sockets.take(names)
        }
    }

    @Test("refuses a descriptor that is not open")
    func missing() throws {
        let sockets = try PassedSockets([SOCK_STREAM, nil])
        #expect(throws: SocketActivationError.notOpen("admin", descriptor: sockets.first + 1)) {
            try sockets.take("apps:admin")
        }
    }

    @Test("refuses what is not a listening stream socket", arguments: [SOCK_DGRAM, SOCK_STREAM])
    func wrongKind(_ type: __socket_type) throws {
        let sockets = try PassedSockets([type], listening: false)
        #expect(throws: SocketActivationError.notAListeningUnixSocket("apps", descriptor: sockets.first)) {
            try sockets.take("apps")
        }
    }

    @Test("the variables are gone afterwards, even when they were refused")
    func variables() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", String(getpid()), 1)
            setenv("LISTEN_FDS", "x", 1)
            setenv("LISTEN_FDNAMES", "apps", 1)
            setenv("TOKENBROKER_OTHER", "a=b", 1)
            #expect(throws: SocketActivationError.malformedVariable("LISTEN_FDS")) {
                try SocketActivation.take(environment: ProcessEnvironment.current(), expected: ["apps"])
            }
            let left = ProcessEnvironment.current()
            #expect(left.keys.allSatisfy { !$0.hasPrefix("LISTEN_") })
            #expect(left["TOKENBROKER_OTHER"] == "a=b")
        }
    }

    @Test("counts what stays open during hardening")
    func passedCount() {
        let process = String(getpid())
        #expect(SocketActivation.passedCount(environment: ["LISTEN_PID": process, "LISTEN_FDS": "2"]) == 2)
        #expect(SocketActivation.passedCount(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "2"]) == 0)
        #expect(SocketActivation.passedCount(environment: ["LISTEN_PID": process, "LISTEN_FDS": "x"]) == 0)
        #expect(SocketActivation.passedCount(environment: [:]) == 0)
    }
}
