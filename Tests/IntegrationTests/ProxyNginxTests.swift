import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Behind nginx", .blocking, .with(.nginx), .with(.python))
struct ProxyNginxTests {
    @Test("a body is sent again with the newer credential, in order and whole")
    func bodySentAgain() throws {
        let site = try ProxySite(.nginx)
        let body = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let answer = try site.exchange(.post, "/ai/jealous", body: body)
        #expect(answer.status == 200)
        let requests = site.echo.requests
        #expect(requests.map(\.method) == ["POST", "POST"])
        #expect(requests.map(\.length) == [2_000_000, 2_000_000])
        #expect(requests.first?.sha256 == requests.last?.sha256)
    }

    @Test("where there is no newer credential the app is told when to come back")
    func noNewerCredential() throws {
        let site = try ProxySite(.nginx)
        #expect(try site.get("/ai/x").status == 200)
        try site.simulator.behave(["status": 503, "retry_after": "7"])
        let answer = try site.get("/ai/jealous")
        #expect(answer.status == 503)
        #expect(answer.headers.values("Retry-After") == ["7"])
    }

    @Test("without a broker both routes say 503 and when to come back")
    func noBroker() throws {
        let site = try ProxySite(.nginx)
        site.broker.process.send(SIGTERM)
        #expect(try site.broker.process.waitForEnd() == 0)
        for target in ["/ai/x", "/api/ac-token"] {
            let answer = try site.get(target)
            #expect(answer.status == 503)
            #expect(answer.headers.values("Retry-After") == ["1"])
            #expect(answer.headers.values("Content-Type") == ["application/problem+json"])
            #expect(answer.integer("retry_after") == 1)
        }
        #expect(site.echo.requests.isEmpty)
    }

    @Test("a body over 20 MB is refused before the broker is asked")
    func tooLarge() throws {
        let site = try ProxySite(.nginx)
        let connection = try site.connect()
        let head = [
            "POST /ai/x HTTP/1.1", "Host: localhost", "\(ProxySite.password.0): \(ProxySite.password.1)",
            "Content-Length: 20971521",
        ]
        try connection.send(head.joined(separator: "\r\n") + "\r\n\r\n")
        #expect(try connection.receive().status == 413)
    }

    @Test(
        "a path that only looks like the route's when it is decoded goes nowhere",
        arguments: ["/%61i/x", "/ai", "/ai?/ai/x"]
    )
    func encodedPrefix(_ target: String) throws {
        let site = try ProxySite(.nginx)
        #expect(try site.get(target).status == 404)
        #expect(site.echo.requests.isEmpty)
    }

    @Test("a proof of App Attest, which belongs to its gateway, is refused")
    func appAttestProof() throws {
        let site = try ProxySite(.nginx)
        #expect(try site.get("/ai/x", ("X-AppAttest-Proof", "v1.1.n.a")).status == 403)
        #expect(site.echo.requests.isEmpty)
    }
}
