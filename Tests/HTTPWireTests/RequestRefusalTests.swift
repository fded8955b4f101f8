import HTTPWire
import Testing

@Suite("Refused requests")
struct RequestRefusalTests {
    @Test(
        "what two readers could understand in two ways is refused",
        arguments: [
            // Lengths.
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 1\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1;\r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\ncontent-LENGTH: 0\r\n\r\n0\r\n\r\n",
            // Transfer codings.
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            // Line ends and folding.
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\n",
            "GET / HTTP/1.1\rHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
            "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n\rX",
            "GET / HTTP/1.1\r\nX: a\r\n b\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nX: a\r\n\tb\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
            "\n\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
            // Names and values.
            "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost\t: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX(y): b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nÜ: b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \u{01}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX: \u{7F}\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nX\0: a\r\n\r\n",
            // Host.
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nX-Host: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: bü\r\n\r\n",
            // The request line.
            "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /  HTTP/1.1\r\nHost: a\r\n\r\n",
            " GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.1 \r\nHost: a\r\n\r\n",
            "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET / x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /\r\n\r\n",
            "GET\r\n\r\n",
            "GET \r\n\r\n",
            "GET / \r\n\r\n",
            "G(T / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GÉT / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /ü HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET a HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
            "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n",
            "GET / http/1.1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.11\r\nHost: a\r\n\r\n",
            "GET / HTTP/11\r\nHost: a\r\n\r\n",
            "GET / HTTP/x.1\r\nHost: a\r\n\r\n",
            "GET / HTTPS/1.1\r\nHost: a\r\n\r\n",
            // Targets that are URLs.
            "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http:/a/x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://u@a/x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET ftp://a/x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://a\\x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://a/x HTTP/1.1\r\nHost: b\r\n\r\n",
            "GET http://a:80/x HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http: HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http:/ HTTP/1.1\r\nHost: a\r\n\r\n",
            // Not HTTP at all.
            "\u{16}\u{03}\u{01}\u{02}\0",
            "\0",
        ]
    )
    func malformed(_ stream: String) {
        let transcript = Transcript(stream)
        #expect(transcript.refusal == .malformed)
        #expect(transcript.requests == 0)
        #expect(!transcript.isIdle)
    }

    @Test(
        "another version of HTTP is refused as such",
        arguments: [
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
            "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
            "GET / HTTP/0.9\r\n\r\n", "GET / HTTP/3.0\r\n\r\n",
        ]
    )
    func version(_ stream: String) {
        #expect(Transcript(stream).refusal == .versionNotSupported)
    }

    @Test(
        "a chunked body that is not RFC 9112's is refused",
        arguments: [
            "\r\n", ";a\r\n", "x\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "1 ;a\r\n", "1\n", "1\rx",
            "1\r\nxx", "1\r\nx\n", "1\r\nx\rx", "1\r\nx0\r\n\r\n", "00000000000000001\r\n", "1;a\nb\r\n", "1;a\0\r\n",
            "1;\u{7F}\r\n", "0\r\n\n", "0\r\nX\r\n", "0\r\n: a\r\n", "0\r\n X: a\r\n", "0\r\nX : a\r\n", "0\r\nX: a\n",
            "0\r\nX: a\rb", "0\r\nX: \0", "0\r\n\rX", "0\r\nGET / HTTP/1.1\r\n",
        ]
    )
    func chunks(_ body: String) {
        let transcript = Transcript("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        #expect(transcript.refusal == .malformed)
        #expect(transcript.requests == 0)
    }

    @Test("nothing after a refusal is read")
    func refusalLasts() {
        var parser = RequestParser()
        let bad = Array("GET / HTTP/1.1\n".utf8)
        let good = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        for stream in [bad, good, good] {
            var position = 0
            guard case .refused(let refusal) = stream.withUnsafeBytes({ parser.next($0, &position) }) else {
                Issue.record("not refused")
                return
            }
            #expect(refusal.description == "a bare LF in the head")
        }
    }

    @Test("requests before the refused one are answered")
    func pipelinedRefusal() {
        let transcript = Transcript(
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        #expect(
            transcript.events == [
                .request("GET /a Host=a", body: "", keepsAlive: true), .refused(.malformed, path: "/b"),
            ]
        )
    }

    @Test(
        "the path of a refused request is known as far as it had come and could be read",
        arguments: [
            // In the head, at the byte that no head may hold.
            ("GET /a?b HTTP/1.1\r\nHost: a\n\r\n", "/a"), ("GET /a\n", "/a"), ("GET http://a/b\u{1}", "/b"),
            ("GET /a%2F/../b\u{0}", "/a%2F/../b"), ("GET /a#b HTTP/1.1\r\n\r\n", "/a"),
            ("GET /a/é HTTP/1.1\r\n\r\n", "/a/"), ("GET http://a\n", ""), ("GET \n", ""), ("GET\n", ""), ("\n", ""),
            ("\r\n\r\nGET /a \n", "/a"),
            ("GET  /a HTTP/1.1\r\n\r\n", ""), ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", ""), ("(\r\n\r\n", ""),
            // In what the head says.
            ("GET /a HTTP/2.0\r\nHost: a\r\n\r\n", "/a"), ("GET /a\r\n\r\n", "/a"), ("GET /a HTTP/1.1\r\n\r\n", "/a"),
            ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n", "/a"),
            ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", "/a"),
            // In the body.
            ("POST /a?b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx", "/a"),
        ]
    )
    func path(_ stream: String, _ path: String) {
        let whole = Transcript(stream)
        #expect(whole.refusal.map { whole.events == [.refused($0, path: path)] } == true)
        let bytewise = Transcript(Array(stream.utf8), pieces: Array(repeating: 1, count: stream.utf8.count))
        #expect(bytewise.events == whole.events)
    }

    @Test("the path of a request that is still coming is known as far as it has come")
    func unfinished() {
        let request = Array("POST /a/b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi".utf8)
        var parser = RequestParser()
        var paths: [String] = []
        for byte in request {
            var position = 0
            _ = [byte].withUnsafeBytes { parser.next($0, &position) }
            paths.append(text(parser.beginningOfPath))
        }
        let growing = ["", "", "", "", "", "/", "/a", "/a/", "/a/b"]
        let rest = Array(repeating: "/a/b", count: request.count - growing.count - 1)
        #expect(paths == growing + rest + [""])
    }
}
