import EventLoop
import HTTPWire
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Connection", .blocking)
struct ConnectionTests {
    @Test("stays open for the next request")
    func keepAlive() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        for _ in 1...3 {
            let answer = try await harness.exchange(client, "GET /healthz")
            #expect(answer.status == 200)
            #expect(answer.header("Connection") == nil)
        }
    }

    @Test("is answered in the turn that accepts it, where its request came with it")
    func firstTurn() throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /healthz"))
        harness.loop.runOnce(waiting: false)
        client.receive()
        #expect(client.takeAnswer(toHead: false)?.status == 200)
    }

    @Test("ends after the answer when the client says so", arguments: ["GET /healthz", "GET /v1/tokens/web"])
    func close(_ line: String) async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        let answer = try await harness.exchange(client, line, ["Connection: close"])
        #expect(answer.status == 200)
        #expect(answer.header("Connection") == "close")
        try await harness.ends(client)
    }

    @Test("ends after the answer to HTTP/1.0", arguments: ["/healthz", "/v1/tokens/web"])
    func http10(_ path: String) async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        client.send("GET \(path) HTTP/1.0\r\n\r\n")
        #expect(try await harness.answer(on: client).status == 200)
        try await harness.ends(client)
    }

    @Test("stays open for HTTP/1.0 where the client asks for it, and says so")
    func http10KeepAlive() async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        for _ in 1...2 {
            client.send("GET /v1/tokens/web HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try await harness.answer(on: client).header("Connection") == "keep-alive")
        }
    }

    @Test("answers HEAD like GET, without the body", arguments: ["/healthz", "/v1/tokens", "/v1/tokens/web", "/none"])
    func head(_ path: String) async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        let get = try await harness.exchange(client, "GET \(path)")
        let head = try await harness.exchange(client, "HEAD \(path)")
        #expect(head.status == get.status)
        #expect(head.header("Content-Length") == String(get.response.body.count))
        #expect(head.text + String(decoding: get.response.body, as: UTF8.self) == get.text)
        #expect(try await harness.exchange(client, "GET /healthz").status == 200)
    }

    @Test("answers HEAD without the body after a wait, too")
    func headAfterWait() async throws {
        let harness = try Harness()
        harness.provider.give(.token("at_v1_first"))
        let client = try harness.connect()
        let answer = try await harness.exchange(client, "HEAD /v1/tokens/web")
        #expect(answer.status == 200)
        #expect(answer.text.hasSuffix("\r\n\r\n"))
        #expect(try await harness.exchange(client, "GET /healthz").json == ["status": "ok"])
    }

    @Test("reads requests in any pieces, chunked bodies and a body that waits for leave")
    func pieces() async throws {
        let harness = try Harness()
        try await harness.mintWeb()
        let client = try harness.connect()
        for byte in message("POST /v1/tokens/web", body: #"{"min_ttl":1}"#).unicodeScalars {
            client.send(String(byte))
            await harness.turn()
        }
        #expect(try await harness.answer(on: client).status == 200)
        client.send(message("POST /v1/tokens/web", ["Transfer-Encoding: chunked"]) + "2\r\n{}\r\n0\r\n\r\n")
        #expect(try await harness.answer(on: client).status == 200)
        client.send(message("POST /v1/tokens/web", ["Expect: 100-continue", "Content-Length: 2"]))
        await harness.settle()
        client.receive()
        #expect(client.received == Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        client.send("{}")
        #expect(try await harness.answer(on: client).status == 200)
    }

    @Test("answers pipelined requests in order while the first waits for a mint")
    func pipelining() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(message("GET /v1/tokens/web") + message("GET /healthz") + message("GET /v1/whoami"))
        try await harness.until { harness.provider.waiting == 1 }
        client.send(message("GET /none"))
        await harness.settle()
        client.receive()
        #expect(client.received.isEmpty)
        harness.provider.give(.token("at_v1_first"))
        #expect(try await harness.answer(on: client).json?["access_token"] == "at_v1_first")
        #expect(try await harness.answer(on: client).json?["status"] == "ok")
        #expect(try await harness.answer(on: client).json?["uid"] != nil)
        #expect(try await harness.answer(on: client).code == "not_found")
    }

    @Test("holds up only itself with a thousand requests at once")
    func fairness() async throws {
        let harness = try Harness()
        let (greedy, modest) = (try harness.connect(), try harness.connect())
        await harness.settle()
        #expect(greedy.send(String(repeating: message("GET /healthz"), count: 1000)))
        modest.send(message("GET /healthz"))
        await harness.turn()
        modest.receive()
        #expect(modest.takeAnswer()?.status == 200)
        greedy.receive()
        var answered = 0
        while greedy.takeAnswer() != nil { answered += 1 }
        #expect(answered == ServingLimits.requestsPerTurn)
        while answered < 1000 {
            #expect(try await harness.answer(on: greedy).status == 200)
            answered += 1
        }
    }

    @Test("answers a client that has finished writing, and then ends", arguments: [1, 100])
    func halfClosed(_ count: Int) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(String(repeating: message("GET /healthz"), count: count))
        client.finishWriting()
        for _ in 1...count { #expect(try await harness.answer(on: client).status == 200) }
        try await harness.ends(client)
    }

    @Test("goes on with what was pipelined once a client takes its answers")
    func slowReader() async throws {
        let harness = try Harness(.crowd)
        let client = try harness.connect()
        client.send(String(repeating: message("GET /v1/tokens"), count: 40))
        await harness.settle()
        var sizes: Set<Int> = []
        for _ in 1...40 { sizes.insert(try await harness.answer(on: client).bytes.count) }
        #expect(sizes.count == 1)
        #expect(try await harness.exchange(client, "GET /healthz").status == 200)
    }

    @Test(
        "ends when the client does not take its answers in time",
        arguments: [("GET /v1/tokens", 40), ("GET /healthz", 400)]
    )
    func sendDeadline(_ line: String, _ count: Int) async throws {
        let harness = try Harness(.crowd)
        let client = try harness.connect()
        client.send(String(repeating: message(line), count: count))
        for _ in 1...5 { await harness.settle() }
        await harness.advance(by: ServingLimits.sendDeadline - .milliseconds(1))
        #expect(harness.connectionCount == 1)
        await harness.advance(by: .milliseconds(1))
        #expect(harness.connectionCount == 0)
    }

    @Test("ends when it was idle for long, and not while it is used")
    func idle() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        for _ in 1...3 {
            await harness.advance(by: ServingLimits.idleDeadline - .milliseconds(1))
            #expect(try await harness.exchange(client, "GET /healthz").status == 200)
        }
        await harness.advance(by: ServingLimits.idleDeadline)
        try await harness.ends(client)
    }

    @Test("refuses a request that does not arrive in time, however steadily it trickles")
    func slowRequest() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        for byte in ["G", "E", "T", " ", "/"] {
            client.send(byte)
            await harness.settle()
            await harness.advance(by: .milliseconds(1999))
        }
        client.receive()
        #expect(client.received.isEmpty)
        harness.clock.advance(by: .milliseconds(5))
        let answer = try await harness.answer(on: client)
        #expect(answer.status == 400)
        #expect(answer.header("Connection") == "close")
        try await harness.ends(client)
    }

    @Test("counts a pipelined request's time from its own first byte")
    func slowSecondRequest() async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send("GET /hea")
        await harness.settle()
        await harness.advance(by: .seconds(9))
        client.send("lthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea")
        #expect(try await harness.answer(on: client).status == 200)
        await harness.advance(by: .seconds(9))
        client.send("lthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await harness.answer(on: client).status == 200)
    }

    @Test(
        "refuses what is malformed or too large, and ends once the client has had time to read why",
        arguments: [
            ("GET / HTTP/1.1\r\n\r\n", 400, "invalid_request"), ("nonsense\r\n\r\n", 400, "invalid_request"),
            ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 400, "invalid_request"),
            (message("GET /", ["A: " + String(repeating: "a", count: 17000)]), 431, "headers_too_large"),
            (message("POST /", ["Content-Length: 65537"]), 413, "payload_too_large"),
        ]
    )
    func refusal(_ request: String, _ status: Int, _ code: String) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(request)
        let answer = try await harness.answer(on: client)
        #expect(answer.status == status)
        #expect(answer.code == code)
        #expect(answer.header("Connection") == "close")
        // Its direction is closed at once, ours is read for a while.
        try await harness.ends(client)
        #expect(client.send(message("GET /healthz")))
        await harness.settle()
        #expect(harness.connectionCount == 1)
        await harness.advance(by: ServingLimits.lingerDeadline)
        #expect(harness.connectionCount == 0)
    }

    @Test("is forgotten when the client goes, at any point of a request", arguments: ["", "GET /", message("GET /")])
    func goodbye(_ text: String) async throws {
        let harness = try Harness()
        let client = try harness.connect()
        client.send(text)
        await harness.settle()
        #expect(harness.connectionCount == 1)
        client.close()
        await harness.settle()
        #expect(harness.connectionCount == 0)
    }
}

extension BrokerDefinition {
    /// So many tokens that a few lists of them fill a socket's buffer.
    static let crowd = account((0..<400).compactMap { Name("a-token-with-a-rather-long-name-\($0)") }.map { .open($0) })
}
