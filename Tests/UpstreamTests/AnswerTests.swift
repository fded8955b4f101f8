import Synchronization
import TestSupport
import Testing
import TokenBroker
import Upstream

@Suite("Answers", .blocking)
struct AnswerTests {
    @Test("sends the request as it was described, under the base URL's path prefix, and asks for no coding")
    func sendsRequest() async throws {
        let seen = Mutex("")
        let script: ScriptedServer.Script = { connection in
            let request = connection.readRequest() ?? ""
            seen.withLock { $0 = request }
            connection.answer()
        }
        try await withPool(path: "/prefix", script: script) { pool, server in
            let request = UpstreamRequest(
                .post,
                path: "/token?a=b",
                headers: [
                    .init("Content-Type", "application/json"), .init("Authorization", .bearer(Secret("sk-1".utf8))),
                ],
                body: Array("{}".utf8),
                isReplayable: true
            )
            _ = try await pool.send(request)
            #expect(
                seen.withLock { $0 } == """
                    POST /prefix/token?a=b HTTP/1.1\r
                    Host: 127.0.0.1:\(server.port)\r
                    User-Agent: tokenbroker-tests/1\r
                    Accept: */*\r
                    Content-Type: application/json\r
                    Authorization: Bearer sk-1\r
                    Content-Length: 2\r
                    \r
                    {}
                    """
            )
        }
    }

    @Test("sends a POST without a body as one of length 0")
    func sendsEmptyBody() async throws {
        let script: ScriptedServer.Script = { connection in
            connection.answer(body: connection.readRequest() ?? "")
        }
        try await withPool(script: script) { pool, _ in
            let response = try await pool.send(UpstreamRequest(.post, path: "/", isReplayable: true))
            #expect(String(decoding: response.body, as: UTF8.self).contains("\r\nContent-Length: 0\r\n"))
        }
    }

    @Test("gives back status, headers in any case, and body")
    func readsAnswer() async throws {
        let response = try await answer("HTTP/1.1 201 Created\r\nX-Request-ID:  r1 \r\nContent-Length: 2\r\n\r\nok")
        #expect(response.status == 201)
        #expect(response.headers["x-request-id"] == "r1")
        #expect(response.headers["X-Other"] == nil)
        #expect(response.body == Array("ok".utf8))
    }

    @Test("puts a chunked body together and does not take its trailer for a header")
    func readsChunks() async throws {
        let response = try await answer(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n"
                + "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Late: 1\r\n\r\n"
        )
        #expect(response.body == Array("abcde".utf8))
        #expect(response.headers["X-Late"] == nil)
    }

    @Test("passes over 1xx answers and their headers")
    func skipsInterimAnswers() async throws {
        let response = try await answer(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nX-Final: 1\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(response.status == 200)
        #expect(response.headers["Link"] == nil)
        #expect(response.headers["X-Final"] == "1")
    }

    @Test("leaves a coded body as it came, so that nothing can expand")
    func doesNotDecode() async throws {
        let response = try await answer(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"
        )
        #expect(response.body == Array("abc".utf8))
    }

    @Test("takes a redirect for an answer and follows none", arguments: [301, 302, 303, 307, 308])
    func doesNotFollow(status: Int) async throws {
        let script: ScriptedServer.Script = { connection in
            while connection.readRequest() != nil {
                connection.answer("\(status) Moved", headers: "Location: /elsewhere\r\n")
            }
        }
        try await withPool(script: script) { pool, server in
            let response = try await pool.send(.simple)
            #expect(response.status == status)
            #expect(server.accepted == 1)
        }
    }

    @Test("reads the provider's date and the pause it asks for from one answer")
    func readsDates() async throws {
        let response = try await answer(
            "HTTP/1.1 429 Slow Down\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                + "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT\r\nContent-Length: 0\r\n\r\n"
        )
        #expect(response.date == WallInstant(milliseconds: 784_111_778_000))
        #expect(response.retryAfter == .seconds(30))
    }

    @Test(
        "takes the host's clock for the provider's where they may agree, else the latest that the provider's may show",
        arguments: [
            // The header has whole seconds, rounded down.
            (777_940, 777_990, 777_940, 0), (776_980, 777_020, 776_980, 0), (777_000, 777_000, 777_000, 0),
            (778_000, 778_100, 778_000, 0),
            // A slow answer was dated at some time on its way.
            (770_000, 778_500, 770_000, 0), (777_990, 790_000, 777_990, 0),
            // The provider's clock is behind, or ahead.
            (779_000, 779_100, 778_000, -1000), (700_000, 700_100, 778_000, 76_900),
        ]
    )
    func clocks(asked: Int64, answered: Int64, date: Int64, skew: Int64) {
        let base: Int64 = 784_111_000_000
        let requestedAt = Moment(boot: BootInstant(nanoseconds: 0), wall: WallInstant(milliseconds: base + asked))
        let response = UpstreamResponse(
            status: 200,
            headers: ["Date": "Sun, 06 Nov 1994 08:49:37 GMT"],
            requestedAt: requestedAt,
            receivedAt: WallInstant(milliseconds: base + answered)
        )
        #expect(response.date == WallInstant(milliseconds: base + date))
        #expect(response.clockSkew == .milliseconds(skew))
    }

    @Test("tells when the request was handed over: after the call and before the answer was made")
    func tellsRequestTime() async throws {
        let made = Mutex<Moment?>(nil)
        let script: ScriptedServer.Script = { connection in
            _ = connection.readRequest()
            made.withLock { $0 = LiveClock().now() }
            connection.answer()
        }
        try await withPool(script: script) { pool, _ in
            let called = LiveClock().now()
            let response = try await pool.send(.simple)
            let answered = try #require(made.withLock { $0 })
            #expect(called.boot <= response.requestedAt.boot)
            #expect(response.requestedAt.boot <= answered.boot)
        }
    }

    @Test("reads a body of exactly the limit")
    func readsLimit() async throws {
        let response = try await answer(
            "HTTP/1.1 200 OK\r\nContent-Length: 1048576\r\n\r\n" + String(repeating: "a", count: 1_048_576)
        )
        #expect(response.body.count == 1_048_576)
    }

    private func answer(_ bytes: String) async throws -> UpstreamResponse {
        let script: ScriptedServer.Script = { connection in
            _ = connection.readRequest()
            connection.send(bytes)
        }
        return try await withPool(script: script) { pool, _ in try await pool.send(.simple) }
    }
}
