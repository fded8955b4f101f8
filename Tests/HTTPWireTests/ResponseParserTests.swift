import HTTPWire
import Testing

@Suite("Response parser")
struct ResponseParserTests {
    /// Reads a stream in two pieces, then its end, and says what came out.
    private func read(
        _ stream: String,
        split: Int = 0,
        ends: Bool = false,
        answersHead: Bool = false,
        limits: WireLimits = .default
    ) -> [String] {
        var parser = ResponseParser(limits: limits)
        parser.answersHead = answersHead
        var output: [String] = []
        let bytes = Array(stream.utf8)
        for piece in [bytes[..<split], bytes[split...]] {
            Array(piece).withUnsafeBytes { input in
                var position = 0
                while let text = describe(parser.next(input, &position)) {
                    output.append(text)
                    if text.hasPrefix("refused") { return }
                }
                #expect(position == input.count || output.last?.hasPrefix("refused") == true)
            }
        }
        if ends, let text = describe(parser.finish()) { output.append(text) }
        return output
    }

    private func describe(_ event: ResponseParser.Event) -> String? {
        switch event {
        case .needsMore: nil
        case .refused(let refusal): "refused \(refusal.code)"
        case .response(let response):
            "\(response.status) \(text(response.body))\(response.keepsAlive ? "" : " closes")"
        }
    }

    @Test(
        "reads answers at every split point",
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                ["200 hi", "404 "]
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nT: v\r\n\r\n", ["200 hi"]),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 \r\n\r\n", ["204 "]),
            (
                "HTTP/1.1 304\r\nContent-Length: 9\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
                ["304 ", "200 x closes"]
            ),
            ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", ["200 x closes"]),
            ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx", ["200 x"]),
        ]
    )
    func answers(_ stream: String, _ expected: [String]) {
        for split in 0...stream.utf8.count {
            #expect(read(stream, split: split) == expected, "split at \(split)")
        }
    }

    @Test("reads a body up to the connection's end where nothing else ends it")
    func untilClose() {
        let stream = "HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello"
        #expect(read(stream) == [])
        for split in 0...stream.utf8.count {
            #expect(read(stream, split: split, ends: true) == ["200 hello closes"])
        }
    }

    @Test("the answer to HEAD has no body whatever its fields say")
    func head() {
        #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", answersHead: true) == ["200 "])
        #expect(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", answersHead: true) == ["200 "])
        #expect(read("HTTP/1.1 200 OK\r\n\r\n", answersHead: true) == ["200 "])
    }

    @Test(
        "refuses an answer that ends early",
        arguments: [
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
        ]
    )
    func truncated(_ stream: String) {
        #expect(read(stream, ends: true) == ["refused unexpectedEnd"])
    }

    @Test(
        "refuses what is not an answer, or ambiguous",
        arguments: [
            "HTTP/1.1\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n",
            "HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n", "HTTP/1.1 600 OK\r\n\r\n", "HTTP/1.1 200OK\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\n", "\r\nHTTP/1.1 204 \r\n\r\n", "HTTP/1.1 204 \n\n",
            "ICY 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nX : y\r\n\r\n", "HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n",
        ]
    )
    func malformed(_ stream: String) {
        #expect(read(stream) == ["refused malformed"])
    }

    @Test("refuses another version, and what is over the limits")
    func limits() {
        #expect(read("HTTP/2.0 200 OK\r\n\r\n") == ["refused versionNotSupported"])
        #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n") == ["refused payloadTooLarge"])
        let body = String(repeating: "b", count: 64 * 1024)
        #expect(read("HTTP/1.1 200 OK\r\n\r\n\(body)b") == ["refused payloadTooLarge"])
        #expect(read("HTTP/1.1 200 OK\r\n\r\n\(body)", ends: true) == ["200 \(body) closes"])
        let interim = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 8)
        #expect(read(interim + "HTTP/1.1 204 \r\n\r\n") == ["204 "])
        #expect(read(interim + "HTTP/1.1 100 Continue\r\n\r\n") == ["refused malformed"])
    }

    @Test("reads what the answer encoder writes")
    func ownAnswers() {
        let response = HTTPResponse(status: 200, body: Array("hi".utf8))
        #expect(read(text(response.encoded(version: .http11, keepsAlive: true))) == ["200 hi"])
        #expect(read(text(response.encoded(version: .http11, keepsAlive: false))) == ["200 hi closes"])
    }
}
