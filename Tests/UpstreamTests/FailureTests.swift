import TestSupport
import Testing
import TokenBroker
import Upstream

@Suite("Upstream failures", .blocking)
struct FailureTests {
    /// What a server does with a request, and what becomes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: UpstreamFailure.Code
        let act: ScriptedServer.Script

        init(_ description: String, _ code: UpstreamFailure.Code, _ act: @escaping ScriptedServer.Script) {
            testDescription = description
            self.code = code
            self.act = act
        }
    }

    static let canary = "canary-8f3a"

    static let cases = [
        Case("closes at once", .connectionLost) { _ in },
        Case("closes within the head", .connectionLost) { $0.send("HTTP/1.1 200 OK\r\nX-A: \(canary)") },
        Case("closes within the body", .connectionLost) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n\(canary)")
        },
        Case("closes within a chunk", .connectionLost) {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n63\r\n\(canary)")
        },
        Case("sends junk", .malformedResponse) { $0.send("\(canary)\u{0}\u{1}\r\n\r\n") },
        Case("sends a body over the limit", .tooLarge) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n" + String(repeating: "a", count: 1_048_577))
        },
        Case("sends chunks without end", .tooLarge) { connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<20 { connection.send("10000\r\n" + String(repeating: "a", count: 0x10000) + "\r\n") }
            connection.hang()
        },
        Case("sends headers without end", .tooLarge) { connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            for _ in 0..<2000 { connection.send("X-A: " + String(repeating: "a", count: 60) + "\r\n") }
            connection.hang()
        },
        Case("never answers", .timedOut) { $0.hang() },
        Case("stops within the body", .timedOut) { connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n\(canary)")
            connection.hang()
        },
    ]

    @Test("tells what went wrong, and nothing of what was sent or came", arguments: cases)
    func failsWithCode(_ expected: Case) async throws {
        let script: ScriptedServer.Script = { connection in
            _ = connection.readRequest()
            expected.act(connection)
        }
        // Only the cases that hang get to the limit, so it is short for them alone.
        let timeout: Duration = expected.code == .timedOut ? .seconds(2) : ample
        try await withPool(timeout: timeout, script: script) { pool, server in
            let request = UpstreamRequest(
                .post,
                path: "/\(Self.canary)?q=\(Self.canary)",
                headers: [.init("Authorization", .bearer(Secret(Self.canary.utf8)))],
                body: Array(Self.canary.utf8),
                isReplayable: true
            )
            let started = LiveClock().now().boot
            let failure = try #require(await pool.failure(of: request))
            #expect(LiveClock().now().boot.since(started) < .seconds(120))
            #expect(failure.code == expected.code)
            #expect(failure.requestMayHaveBeenSent)
            #expect(!"\(failure) \(String(reflecting: failure))".contains(Self.canary))
            #expect(failure.message.hasPrefix("127.0.0.1:\(server.port): "))
        }
    }

    @Test("says that nothing was sent when the connection is refused")
    func connectionRefused() async throws {
        let server = try ScriptedServer { _ in }
        server.stop()
        try await withClient { client in
            let pool = client.pool(for: UpstreamSettings(baseURL: server.baseURL, timeout: ample))
            let failure = try #require(await pool.failure(of: .simple))
            #expect(failure.code == .couldNotConnect)
            #expect(failure.message == "127.0.0.1:\(server.port): no connection: Connection refused")
            #expect(!failure.requestMayHaveBeenSent)
        }
    }

    @Test(
        "refuses a base URL over which a key would travel in clear, or that is none",
        arguments: [
            "http://api.example.com", "http://127.example.com", "ftp://127.0.0.1", "https://", "127.0.0.1",
            "https://user:canary@api.example.com",
        ]
    )
    func refusesBaseURL(_ baseURL: String) async throws {
        try await withClient { client in
            let pool = client.pool(for: UpstreamSettings(baseURL: baseURL, timeout: ample))
            let failure = try #require(await pool.failure(of: .simple))
            #expect(failure.code == .invalidRequest)
            #expect(!failure.message.contains("canary"))
        }
    }

    @Test(
        "sends no header that would end its line or that libcurl would read as an instruction",
        arguments: [
            ("X-A", "a\r\nX-B: b"), ("X-A", "a\nb"), ("X-A", "a\u{0}b"), ("X-A", "ä"), ("X-A", ""),
            ("X-A: b\r\nX-C", "c"), ("X A", "a"), ("", "a"),
        ]
    )
    func refusesHeader(name: String, value: String) async throws {
        let values: [UpstreamRequest.Header.Value] = [.text(value), .bearer(Secret(value.utf8))]
        try await withPool(script: { _ in }) { pool, server in
            for value in values {
                let request = UpstreamRequest(.get, path: "/", headers: [.init(name, value)], isReplayable: true)
                let failure = try #require(await pool.failure(of: request))
                #expect(failure.code == .invalidRequest)
                #expect(!failure.requestMayHaveBeenSent)
            }
            #expect(server.accepted == 0)
        }
    }

    @Test("sends no path that would end the request line", arguments: ["x", "/a b", "/a\r\nX: y", "/ä"])
    func refusesPath(_ path: String) async throws {
        try await withPool(script: { _ in }) { pool, server in
            let failure = await pool.failure(of: UpstreamRequest(.get, path: path, isReplayable: true))
            #expect(failure?.code == .invalidRequest)
            #expect(server.accepted == 0)
        }
    }
}
