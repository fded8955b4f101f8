import TestSupport
import Testing

@testable import HTTPWire

@Suite("Encoded messages", .blocking)
struct EncodingTests {
    @Test(
        "an answer says how long it is and whether the connection stays",
        arguments: [
            (.http11, true, "Content-Length: 2\r\n\r\nhi"),
            (.http11, false, "Connection: close\r\nContent-Length: 2\r\n\r\nhi"),
            (.http10, true, "Connection: keep-alive\r\nContent-Length: 2\r\n\r\nhi"),
            (.http10, false, "Connection: close\r\nContent-Length: 2\r\n\r\nhi"),
        ] as [(HTTPVersion, Bool, String)]
    )
    func answer(_ version: HTTPVersion, _ keepsAlive: Bool, _ rest: String) throws {
        let response = HTTPResponse(status: 200, headers: [try HeaderField("ETag", "\"1\"")], body: Array("hi".utf8))
        let encoded = text(response.encoded(version: version, keepsAlive: keepsAlive))
        #expect(encoded == "HTTP/1.1 200 OK\r\nETag: \"1\"\r\n" + rest)
    }

    @Test("the answer to HEAD has the length and not the body")
    func head() {
        let response = HTTPResponse(status: 404, body: Array("hi".utf8))
        let encoded = text(response.encoded(version: .http11, keepsAlive: true, includesBody: false))
        #expect(encoded == "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n")
    }

    @Test("204 and 304 have neither length nor body", arguments: [(204, "No Content"), (304, "Not Modified")])
    func bodiless(_ status: Int, _ phrase: String) {
        let response = HTTPResponse(status: status, body: Array("hi".utf8))
        #expect(text(response.encoded(version: .http11, keepsAlive: true)) == "HTTP/1.1 \(status) \(phrase)\r\n\r\n")
    }

    @Test("an empty answer says so, and an unknown status has an empty phrase")
    func empty() {
        let encoded = text(HTTPResponse(status: 299).encoded(version: .http11, keepsAlive: true))
        #expect(encoded == "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n")
    }

    @Test(
        "a field that could end a line or frame a message is not made",
        arguments: [
            ("X", "a\r\nY: b", .malformedFieldValue), ("X", "a\nb", .malformedFieldValue),
            ("X", "a\0", .malformedFieldValue), ("X", "\u{7F}", .malformedFieldValue), ("X", "é", .malformedFieldValue),
            ("", "a", .malformedFieldName), ("X Y", "a", .malformedFieldName), ("X:", "a", .malformedFieldName),
            ("X\r\n", "a", .malformedFieldName), ("É", "a", .malformedFieldName),
            ("Content-Length", "1", .reservedFieldName), ("transfer-encoding", "chunked", .reservedFieldName),
            ("CONNECTION", "close", .reservedFieldName), ("Host", "a", .reservedFieldName),
        ] as [(String, String, WireEncodingError)]
    )
    func fields(_ name: String, _ value: String, _ expected: WireEncodingError) {
        let error = #expect(throws: WireEncodingError.self) { try HeaderField(name, value) }
        #expect(error == expected)
    }

    @Test("a field may hold any printable byte and the tab")
    func printableField() throws {
        let value = text(0x20...0x7E) + "\t"
        #expect(try HeaderField("x-a", value).value == value)
        #expect(HeaderField(constant: "Cache-Control", "no-store").name == "Cache-Control")
    }

    @Test("a constant field that may not be sent traps")
    func constantField() async {
        await #expect(processExitsWith: .failure) { _ = HeaderField(constant: "X", "a\nb") }
    }

    @Test("a request reads back as what it was")
    func clientRequest() throws {
        let encoded = try HTTPClientRequest(
            .post,
            "/v1/tokens/a?b=c",
            headers: [HeaderField("Prefer", "wait=1")],
            body: Array("{}".utf8)
        ).encoded(keepsAlive: false)
        let request = try #require(parsed(text(encoded)))
        #expect(request.method == .post)
        #expect(text(request.target) == "/v1/tokens/a?b=c")
        #expect(request.headers.map(\.name) == ["Host", "Prefer", "Connection", "Content-Length"])
        #expect(request.headers.first("host") == "localhost")
        #expect(request.body == Array("{}".utf8))
        #expect(!request.keepsAlive)
    }

    @Test("a request has a length where its method means one")
    func clientLength() throws {
        #expect(text(try HTTPClientRequest(.get, "/").encoded()) == "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let post = text(try HTTPClientRequest(.post, "/", host: "a:1").encoded())
        #expect(post == "POST / HTTP/1.1\r\nHost: a:1\r\nContent-Length: 0\r\n\r\n")
    }

    @Test(
        "a request that could be read as something else is not made",
        arguments: [
            (.get, "", "a", .malformedTarget), (.get, "x", "a", .malformedTarget),
            (.get, "/a b", "a", .malformedTarget),
            (.get, "/\r\n", "a", .malformedTarget), (.get, "/#", "a", .malformedTarget),
            (.get, "/ü", "a", .malformedTarget),
            (.get, "/", "a b", .malformedHost), (.get, "/", "a\r\n", .malformedHost),
            (.other(""), "/", "a", .malformedMethod), (.other("A B"), "/", "a", .malformedMethod),
        ] as [(HTTPMethod, String, String, WireEncodingError)]
    )
    func refusedRequests(_ method: HTTPMethod, _ target: String, _ host: String, _ expected: WireEncodingError) {
        let error = #expect(throws: WireEncodingError.self) { try HTTPClientRequest(method, target, host: host) }
        #expect(error == expected)
    }
}
