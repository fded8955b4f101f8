import Glibc
import JSON
import Simulator
import TestSupport
import Testing

@Suite("HTTPS", .blocking, .enabled(if: Curl.isInstalled, "needs the package curl"))
struct TLSTests {
    @Test("a client that trusts the authority is served", arguments: ["127.0.0.1", "localhost"])
    func served(_ host: String) throws {
        for version in [["--tlsv1.3"], ["--tls-max", "1.2"]] {
            try withCurl { (curl, simulator) throws in
                let result = try curl.run(version + [curl.health(host, simulator)])
                #expect(result.status == 0)
                #expect(result.output == "{\"status\":\"ok\"}")
            }
        }
    }

    @Test("a client that trusts another simulator's authority is not")
    func otherAuthority() throws {
        let other = try Simulator()
        defer { other.stop() }
        try withCurl { (curl, simulator) throws in
            // 60 is curl's "certificate problem".
            #expect(try curl.run([curl.health("127.0.0.1", other)]).status == 60)
            #expect(try curl.run([curl.health("127.0.0.1", simulator)]).status == 0)
        }
    }

    @Test("an answer larger than the socket's buffers comes whole")
    func largeAnswer() throws {
        try withCurl { (curl, simulator) throws in
            let client = Client(port: simulator.httpPort)
            try client.behave(["body_form": "oversized"])
            let url = "https://127.0.0.1:\(simulator.httpsPort)/ai-autocomplete/api/suggest"
            let result = try curl.run(["--output", "/dev/null", "--write-out", "%{size_download}", url])
            #expect(result.status == 0)
            #expect(result.output == String(8 * 1024 * 1024))
        }
    }

    @Test("a connection can be dropped inside an answer")
    func dropped() throws {
        try withCurl { (curl, simulator) throws in
            try Client(port: simulator.httpPort).behave(["close_after_bytes": 30])
            let url = "https://127.0.0.1:\(simulator.httpsPort)/ai-autocomplete/api/suggest"
            #expect(try curl.run([url]).status != 0)
        }
    }

    @Test("a client that speaks no TLS is dropped and harms nobody")
    func noTLS() throws {
        try withCurl { (curl, simulator) throws in
            let stranger = try ClientConnection(port: simulator.httpsPort)
            try stranger.send(Array("GET / HTTP/1.1\r\n\r\n".utf8))
            _ = try stranger.receiveAll()
            #expect(try curl.run([curl.health("127.0.0.1", simulator)]).status == 0)
        }
    }

    private func withCurl(_ body: (Curl, Simulator) throws -> Void) throws {
        let simulator = try Simulator()
        defer { simulator.stop() }
        let curl = try Curl(authorityPEM: simulator.authorityPEM)
        defer { curl.removeFiles() }
        try body(curl, simulator)
    }
}
