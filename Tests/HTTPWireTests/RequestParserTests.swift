import Testing

@testable import HTTPWire

@Suite("Request parser")
struct RequestParserTests {
    @Test("reads what a request says")
    func parts() throws {
        let request = try #require(
            parsed(
                "GET /v1/tokens/a%20b?min_ttl=60&x=? HTTP/1.1\r\nHost: localhost:80\r\nX-Empty:\r\nX-A:  b\tc \t\r\n"
                    + "x-a: ü\r\nX-D:d\r\n\r\n"
            )
        )
        #expect(request.method == .get)
        #expect(request.version == .http11)
        #expect(text(request.target) == "/v1/tokens/a%20b?min_ttl=60&x=?")
        #expect(text(request.path) == "/v1/tokens/a%20b")
        #expect(request.query.map(text) == "min_ttl=60&x=?")
        #expect(request.headers.count == 5)
        #expect(request.headers.values("x-a") == ["b\tc", "ü"])
        #expect(request.headers.first("X-A") == "b\tc")
        #expect(request.headers.first("x-empty") == "")
        #expect(request.headers.first("x-b") == nil)
        #expect(request.headers.firstBytes("x-d").map(text) == "d")
        #expect(request.headers.count(of: "x-a") == 2)
        #expect(request.headers.map(\.name) == ["Host", "X-Empty", "X-A", "x-a", "X-D"])
        #expect(request.body.isEmpty)
        #expect(request.keepsAlive)
    }

    @Test("reads a value that is not UTF-8 as ISO-8859-1")
    func latin1() {
        var parser = RequestParser()
        let stream = Array("GET / HTTP/1.1\r\nHost: a\r\nX-User: Jos".utf8) + [0xE9] + Array("\r\n\r\n".utf8)
        var position = 0
        guard case .request(let request) = stream.withUnsafeBytes({ parser.next($0, &position) }) else {
            Issue.record("no request")
            return
        }
        #expect(request.headers.first("x-user") == "José")
    }

    @Test(
        "knows the methods, which are case-sensitive",
        arguments: [
            ("GET", .get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("DELETE", .delete),
            ("get", .other("get")), ("PATCH", .other("PATCH")), ("M-SEARCH", .other("M-SEARCH")),
        ] as [(String, HTTPMethod)]
    )
    func methods(_ name: String, _ method: HTTPMethod) {
        let request = parsed("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request?.method == method)
        #expect(request?.method.name == name)
    }

    @Test(
        "takes the path of every form of target",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a", "/", nil),
            ("GET /? HTTP/1.1\r\nHost: a", "/", ""),
            ("GET //x HTTP/1.1\r\nHost: a", "//x", nil),
            ("GET http://a/x/y?z HTTP/1.1\r\nHost: a", "/x/y", "z"),
            ("GET HTTPS://LOCALHOST:8080/x HTTP/1.1\r\nHost: localhost:8080", "/x", nil),
            ("GET http://a HTTP/1.1\r\nHost: a", "/", nil),
            ("GET http://a?q HTTP/1.1\r\nHost: a", "/", "q"),
            ("GET http://a/x HTTP/1.0", "/x", nil),
            ("OPTIONS * HTTP/1.1\r\nHost: a", "*", nil),
            ("GET /x HTTP/1.1\r\nHost:", "/x", nil),
            ("GET /x HTTP/1.1\r\nHost: [::1]:80", "/x", nil),
            ("GET /x HTTP/1.1\r\nHost: %2Frun%2Fa.sock", "/x", nil),
        ] as [(String, String, String?)]
    )
    func targets(_ head: String, _ path: String, _ query: String?) throws {
        let request = try #require(parsed(head + "\r\n\r\n"))
        #expect(text(request.path) == path)
        #expect(request.query.map(text) == query)
    }

    @Test(
        "knows whether another request may follow",
        arguments: [
            ("1.1", "", true), ("1.1", "Connection: close\r\n", false), ("1.1", "Connection: CLOSE\r\n", false),
            ("1.1", "Connection: foo ,\tclose\r\n", false), ("1.1", "Connection: ,,\r\nConnection: close\r\n", false),
            ("1.1", "Connection: keep-alive\r\n", true), ("1.1", "Connection: closed, Upgrade\r\n", true),
            ("1.1", "Connection: keep-alive, close\r\n", false), ("1.0", "", false),
            ("1.0", "Connection: Keep-Alive\r\n", true), ("1.0", "Connection: close, keep-alive\r\n", false),
        ] as [(String, String, Bool)]
    )
    func keepAlive(_ version: String, _ fields: String, _ keepsAlive: Bool) {
        #expect(parsed("GET / HTTP/\(version)\r\nHost: a\r\n\(fields)\r\n")?.keepsAlive == keepsAlive)
    }

    @Test("ignores what follows a request that ends the connection")
    func afterClose() {
        let transcript = Transcript(
            "GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(transcript.events == [.request("GET /a Host=a Connection=close", body: "", keepsAlive: false)])
    }

    @Test("reads a body of a stated length, and the request behind it")
    func length() {
        let transcript = Transcript(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0005\r\n\r\nhelloPUT /b HTTP/1.1\r\nHost: a\r\n"
                + "Content-Length: 0\r\n\r\nGET /c HTTP/1.0\r\n\r\n"
        )
        #expect(
            transcript.events == [
                .request("POST /a Host=a Content-Length=0005", body: "hello", keepsAlive: true),
                .request("PUT /b Host=a Content-Length=0", body: "", keepsAlive: true),
                .request("GET /c", body: "", keepsAlive: false),
            ]
        )
    }

    @Test("decodes chunks, and drops extensions and trailers")
    func chunks() {
        let transcript = Transcript(
            "POST /a HTTP/1.1\r\nHost: a\r\ntransfer-encoding: Chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0001\r\n,\r\nA;\r\n"
                + "0123456789\r\n00;x\r\nTrailer: x\r\nContent-Length: 7\r\nEmpty:\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(
            transcript.events == [
                .request("POST /a Host=a transfer-encoding=Chunked", body: "hello,0123456789", keepsAlive: true),
                .request("GET /b Host=a", body: "", keepsAlive: true),
            ]
        )
    }

    @Test("asks for the body where the client waits for that")
    func expectContinue() {
        let transcript = Transcript(
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nhi"
                + "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        #expect(transcript.events.count == 4)
        #expect(transcript.events[0] == .continueExpected)
        #expect(transcript.events[2] == .continueExpected)
        #expect(transcript.requests == 2)
    }

    @Test(
        "does not ask for a body that is not coming, or too large",
        arguments: [
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
            "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: something\r\nContent-Length: 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n",
        ]
    )
    func noContinue(_ stream: String) {
        let transcript = Transcript(stream)
        #expect(!transcript.events.contains(.continueExpected))
        #expect(transcript.events.count == 1)
    }

    @Test("tells an idle connection from a slow one")
    func idleness() {
        var parser = RequestParser()
        func feed(_ text: String) {
            var position = 0
            Array(text.utf8).withUnsafeBytes { bytes in
                while case .request = parser.next(bytes, &position) {}
            }
        }
        #expect(parser.isIdle)
        feed("\r\n")
        #expect(parser.isIdle)
        feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n")
        #expect(!parser.isIdle)
        feed("h")
        #expect(!parser.isIdle)
        feed("i")
        #expect(parser.isIdle)
        feed("G")
        #expect(!parser.isIdle)
    }

    @Test("costs an idle connection little")
    func size() {
        #expect(MemoryLayout<RequestParser>.size < 512)
        #expect(Transcript("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi").isIdle)
        #expect(RequestParser().bufferedBytes == 0)
    }
}
