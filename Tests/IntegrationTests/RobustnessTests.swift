import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Clients that misbehave, and old ones that do not", .blocking)
struct RobustnessTests {
    private static let get = "GET /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// That the broker still serves, whatever has been done to it.
    private func expectService(_ site: Site) throws {
        #expect(try site.broker.fetch("web").status == 200)
    }

    @Test("ten thousand connections that close at once, before or behind a request, do no harm")
    func hitAndRun() throws {
        let site = try Site()
        try expectService(site)
        let descriptors = try site.broker.openDescriptors
        for index in 0..<10_000 {
            let connection = try site.broker.connect()
            if index % 2 == 0 { try connection.send(Self.get) }
        }
        try expectService(site)
        if let descriptors {
            try Deadline.until("all are closed") { try site.broker.openDescriptors ?? 0 <= descriptors }
        }
        #expect(site.broker.log.lines.allSatisfy { !$0.contains(" error ") })
    }

    @Test("who sends and does not read is let go")
    func deafClient() throws {
        let site = try Site()
        let deaf = try site.broker.connect()
        // Many more answers than the kernel keeps for who does not read.
        let request = Array(Self.get.utf8)
        try deaf.sendWhatIsTaken(Array(repeatElement(request, count: 20_000).joined()))
        try expectService(site)
    }

    @Test("half a request holds nobody else up, and may be finished later")
    func halfRequest() throws {
        let site = try Site()
        let slow = try site.broker.connect()
        let half = Self.get.utf8.count / 2
        try slow.send(String(Self.get.prefix(half)))
        try expectService(site)
        try slow.send(String(Self.get.dropFirst(half)))
        #expect(try slow.receive().status == 200)
        let gone = try site.broker.connect()
        try gone.send("GET /v1/tokens/web HT")
    }

    @Test("pipelined requests are answered in order, also behind one that waits")
    func pipelining() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 200]) }
        let connection = try site.broker.connect()
        try connection.send(Self.get + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" + Self.get)
        #expect(try connection.receive().text("name") == "web")
        #expect(try connection.receive().json == ["status": "ok"])
        #expect(try connection.receive().text("name") == "web")
        #expect(try site.simulator.mints() == 1)
    }

    @Test("HTTP/1.0 gets its answer and the end of the connection")
    func oldVersion() throws {
        let site = try Site()
        let connection = try site.broker.connect()
        try connection.send("GET /v1/tokens/web HTTP/1.0\r\n\r\n")
        let answer = try connection.receive()
        #expect(answer.status == 200)
        // The answer's version is 1.1, in which a connection stays open unless it says otherwise.
        #expect(!answer.keepsAlive)
        #expect(try connection.receiveAll() == "")
    }

    @Test("Connection: close is obeyed")
    func close() throws {
        let site = try Site()
        let connection = try site.broker.connect()
        try connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try connection.receive().status == 200)
        #expect(try connection.receiveAll() == "")
    }

    @Test("a client that has said all it has to say still gets its answer")
    func halfClosed() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(["delay_ms": 100]) }
        for _ in 0..<2 {
            let connection = try site.broker.connect()
            try connection.send(Self.get)
            connection.endSending()
            #expect(try connection.receive().status == 200)
            #expect(try connection.receiveAll() == "")
        }
    }

    @Test("who asks before sending the body is told to go on")
    func expectContinue() throws {
        let site = try Site()
        let connection = try site.broker.connect()
        try connection.send(
            "POST /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\nContent-Length: 14\r\nExpect: 100-continue\r\n\r\n"
        )
        #expect(try connection.receiveSome() == "HTTP/1.1 100 Continue\r\n\r\n")
        try connection.send("{\"min_ttl\": 1}")
        #expect(try connection.receive().status == 200)
    }

    @Test("a body in chunks is read like any other")
    func chunks() throws {
        let site = try Site()
        let connection = try site.broker.connect()
        let head = "POST /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        try connection.send(head + "6\r\n{\"min_\r\n8\r\nttl\": 1}\r\n0\r\n\r\n")
        #expect(try connection.receive().status == 200)
        try connection.send(head + "3\r\n{\"m\r\n0\r\n\r\n")
        #expect(try connection.receive().code == "invalid_request")
    }

    @Test("a body over 64 KiB is refused, whether it is announced or comes in chunks")
    func largeBody() throws {
        let site = try Site()
        let length = 64 * 1024
        let post = "POST /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\n"
        let fitting = try site.broker.connect()
        try fitting.send(post + "Content-Length: \(length)\r\n\r\n{}" + String(repeating: " ", count: length - 2))
        #expect(try fitting.receive().status == 200)

        let announced = try site.broker.connect()
        try announced.send(post + "Content-Length: \(length + 1)\r\n\r\n")
        let chunked = try site.broker.connect()
        try chunked.send(
            post + "Transfer-Encoding: chunked\r\n\r\n10001\r\n" + String(repeating: " ", count: length + 1)
        )
        for connection in [announced, chunked] {
            let answer = try connection.receive()
            #expect(answer.status == 413)
            #expect(answer.code == "payload_too_large")
            #expect(!answer.keepsAlive)
        }
        try expectService(site)
    }

    @Test("a head over 16 KiB is refused")
    func largeHead() throws {
        let site = try Site()
        let frame = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \r\n\r\n".utf8.count
        for (length, status) in [(16 * 1024, 200), (16 * 1024 + 1, 431)] {
            let connection = try site.broker.connect()
            let value = String(repeating: "x", count: length - frame)
            try connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(value)\r\n\r\n")
            let answer = try connection.receive()
            #expect(answer.status == status)
            #expect(answer.code == (status == 431 ? "headers_too_large" : nil))
        }
    }

    @Test("a proxy that asks whether to let a request pass is told no in a way that it understands, be it too large")
    func largeQuestion() throws {
        let site = try Site()
        let head = "POST /v1/forward-auth/web/chat HTTP/1.1\r\nHost: localhost\r\n"
        for (rest, code) in [
            ("X: \(String(repeating: "x", count: 16 * 1024))", "headers_too_large"),
            ("Content-Length: 65537\r\n\r\n", "payload_too_large"),
            ("Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "invalid_request"),
        ] {
            let connection = try site.broker.connect()
            try connection.send(head + rest)
            let answer = try connection.receive()
            #expect(answer.status == 403)
            #expect(answer.code == code)
        }
        try expectService(site)
    }

    @Test(
        "what could be read in two ways is refused, and ends the connection",
        arguments: [
            "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /healthz HTTP/1.1\nHost: localhost\n\n", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n X: y\r\n\r\n",
            "POST /v1/tokens/web HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
            "POST /v1/tokens/web HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /v1/tokens/web HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n", "GET /health z HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /healthz\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{1}\r\n\r\n",
        ]
    )
    func ambiguous(_ text: String) throws {
        let site = try Site()
        let connection = try site.broker.connect()
        try connection.send(text)
        let answer = try connection.receive()
        #expect(answer.code == "invalid_request")
        #expect(!answer.keepsAlive)
        #expect(try connection.receiveAll() == "")
        try expectService(site)
    }

    @Test("a user that has too many connections open is told so, and nobody else is in its way")
    func connectionLimit() throws {
        let site = try Site { settings, _ in settings.extra = ["limits: { connections_per_uid: 10 }"] }
        let connections = try (0..<10).map { _ in try site.broker.connect() }
        for connection in connections { #expect(try connection.exchange(.get, "/healthz").status == 200) }
        for _ in 0..<20 {
            let refused = try site.broker.fetch("web")
            #expect(refused.status == 503)
            #expect(refused.code == "too_many_connections")
        }
        #expect(try connections[0].exchange(.get, "/v1/tokens/web").status == 200)
        #expect(try site.broker.admin(.get, "/healthz").status == 200)
    }
}
