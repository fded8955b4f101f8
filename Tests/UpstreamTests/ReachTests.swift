import Glibc
import Synchronization
import TestSupport
import Testing
import TokenBroker
import Upstream

@Suite("Whether a provider can be reached", .blocking)
struct ReachTests {
    private func reach(
        path: String = "",
        timeout: Duration = ample,
        _ script: @escaping ScriptedServer.Script
    ) async throws -> Reached {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        return try await withClient { client in
            try await client.reach(UpstreamSettings(baseURL: server.baseURL + path, timeout: timeout))
        }
    }

    @Test("is asked at the root of its origin, without a header of the account's")
    func request() async throws {
        let seen = Mutex("")
        _ = try await reach(path: "/prefix/deeper") { connection in
            let request = connection.readRequest() ?? ""
            seen.withLock { $0 = request }
            connection.answer("404 Not Found")
        }
        let lines = seen.withLock { $0 }.split(separator: "\r\n")
        #expect(lines.first == "GET / HTTP/1.1")
        #expect(Set(lines.dropFirst().map { $0.prefix { $0 != ":" } }) == ["Host", "User-Agent", "Accept"])
    }

    @Test("any answer will do, one without a date and one that is too long to read", arguments: [false, true])
    func answers(isLong: Bool) async throws {
        let reached = try await reach { connection in
            _ = connection.readRequest()
            connection.answer("500 Internal Server Error", body: isLong ? String(repeating: "x", count: 1 << 21) : "")
        }
        #expect(reached.clockSkew == nil)
    }

    @Test("the date of the answer tells how far the clocks are apart")
    func clock() async throws {
        let reached = try await reach { connection in
            _ = connection.readRequest()
            connection.answer(headers: "Date: Thu, 01 Jan 2015 00:00:00 GMT\r\n")
        }
        #expect(try #require(reached.clockSkew) < .seconds(-300_000_000))
    }

    @Test("a date between question and answer agrees, whatever its second")
    func agrees() async throws {
        let reached = try await reach { connection in
            _ = connection.readRequest()
            connection.answer(headers: "Date: \(Self.date)\r\n")
        }
        #expect(reached.clockSkew == .zero)
    }

    /// Now, as a header has it (RFC 9110 §5.6.7).
    private static var date: String {
        var (now, fields, text) = (time(nil), tm(), [CChar](repeating: 0, count: 64))
        gmtime_r(&now, &fields)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    @Test("nobody there is a failure")
    func refused() async throws {
        let server = try ScriptedServer { _ in }
        let settings = UpstreamSettings(baseURL: server.baseURL, timeout: ample)
        server.stop()
        await withKnownFailure(.couldNotConnect) { try await withClient { try await $0.reach(settings) } }
    }

    @Test("an answer that does not come is given up at the account's own limit")
    func silence() async {
        await withKnownFailure(.timedOut) {
            try await reach(timeout: .milliseconds(100)) { $0.hang() }
        }
    }

    private func withKnownFailure(_ code: UpstreamFailure.Code, _ body: () async throws -> Reached) async {
        let failure = await #expect(throws: UpstreamFailure.self) { _ = try await body() }
        #expect(failure?.code == code)
    }
}
