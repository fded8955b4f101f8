import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Tokens of end users", .blocking)
struct EndUserTests {
    @Test("are refreshed while somebody asks, and let go of when nobody does")
    func lettingGo() throws {
        let site = try RoadieSite(lifetime: 2)
        #expect(try site.fetch("ann").status == 200)
        #expect(try site.broker.status(of: "chat").integer("end_users") == 1)
        try Deadline.until("the end of what nobody asks for") {
            try site.broker.status(of: "chat").integer("end_users") == 0
        }
        // The second is for the caller who asked during the life of the first.
        #expect(try site.mints() == 2)
        #expect(try site.broker.status(of: "chat")["state"] == "idle")
    }

    @Test("are waited for by each user's own callers")
    func waiting() throws {
        let site = try RoadieSite(lifetime: 3)
        let tag = try #require(try site.fetch("ann").headers.first("etag"))
        let poll = try site.broker.connect()
        try poll.send(
            "GET /v1/tokens/chat?end_user=ann HTTP/1.1\r\nHost: localhost\r\n"
                + "If-None-Match: \(tag)\r\nPrefer: wait=60\r\n\r\n"
        )
        let other = try site.fetch("bob")
        let answer = try poll.receive()
        #expect(answer.status == 200)
        #expect(answer.headers.first("etag") != tag)
        #expect(answer.headers.first("etag") != other.headers.first("etag"))
    }

    @Test("are served again after a restart, without a mint")
    func restart() throws {
        let site = try RoadieSite(lifetime: 600)
        let tokens = try ["ann", "bob"].map { try site.fetch($0).text("access_token") }
        site.broker.process.send(SIGTERM)
        _ = try site.broker.process.waitForEnd()
        let again = try BrokerProcess(site.scratch, site.configuration)
        for (user, token) in zip(["ann", "bob"], tokens) {
            let answer = try again.get("/v1/tokens/chat?end_user=\(user)")
            #expect(answer.text("access_token") == token)
        }
        #expect(try site.mints() == 2)
    }
}

/// A broker with a token for each end user at Roadie.
private struct RoadieSite {
    let scratch: Scratch
    let simulator: SimulatorProcess
    let configuration: String
    let broker: BrokerProcess

    init(lifetime: Int) throws {
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        try scratch.write("secret", "rd_sk_test_demo\n")
        configuration = """
            listen: { apps: \(scratch.path("run/apps.sock")), admin: \(scratch.path("admin/admin.sock")) }
            store: { path: \(scratch.path("store.sqlite")), key: "file:\(scratch.path("key"))" }
            operators: [{ user: \(geteuid()), group: \(getegid()) }]
            secrets: { key: { file: \(scratch.path("secret")) } }
            providers:
              roadie: { kind: roadie, base_url: "http://127.0.0.1:\(simulator.httpPort)/roadie", secret: key }
            tokens:
              chat: { provider: roadie, end_user: per-request, ttl: \(lifetime)s, allow: [{ user: \(geteuid()) }] }

            """
        broker = try BrokerProcess(scratch, configuration)
    }

    func fetch(_ user: String) throws -> Answer {
        try broker.get("/v1/tokens/chat?end_user=\(user)")
    }

    func mints() throws -> Int64 {
        let answer = try Connection(port: simulator.httpPort).exchange(.get, "/control/roadie")
        guard let mints = answer.integer("mints") else { throw HarnessError("no count of mints") }
        return mints
    }
}

extension JSONValue {
    fileprivate func integer(_ name: String) -> Int64? { self[name]?.number?.int64 }
}
