import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("A session at Palbase", .blocking)
struct PalbaseTests {
    @Test("is refreshed by one single-use token after the other, and the provider takes what comes of it")
    func chain() throws {
        let site = try PalbaseSite()
        let first = try site.broker.fetch("web")
        #expect(first.status == 200)
        #expect(try site.takes(first.text("access_token")))
        for _ in 0..<3 { #expect(try site.refresh().status == 200) }
        let last = try site.broker.fetch("web")
        #expect(last.text("access_token") != first.text("access_token"))
        #expect(try site.takes(last.text("access_token")))
        #expect(try site.familiesRevoked() == 0)
        #expect(try site.presentations() == 4)
    }

    @Test("lets an app's requests in with the publishable key beside the token")
    func authorize() throws {
        let site = try PalbaseSite()
        let body: JSONValue = ["method": "GET", "url": "/v1/todos"]
        let answer = try site.broker.connect().exchange(.post, "/v1/authorize/web", body: body.serialized())
        #expect(answer.status == 200)
        let headers = try #require(answer.json["headers"]?.object).members.map { ($0.name, $0.value.string ?? "") }
        #expect(Set(headers.map(\.0)) == ["apikey", "Authorization"])
        #expect(try site.todos(headers).status == 200)
    }

    @Test("goes on after a restart, and after the seed is gone", arguments: [SIGTERM, SIGKILL])
    func restart(_ signal: Int32) throws {
        let site = try PalbaseSite()
        #expect(try site.broker.fetch("web").status == 200)
        try site.restart(signal) { unlink(site.scratch.path("seed")) }
        #expect(try site.refresh().status == 200)
        #expect(try site.takes(site.broker.fetch("web").text("access_token")))
    }

    @Test("is given another answer in place of one that was lost")
    func lostAnswer() throws {
        let site = try PalbaseSite {
            try PalbaseSite.control($0, .put, "/behaviour", ["close_after_bytes": 0, "times": 1])
        }
        #expect(try site.takes(site.broker.fetch("web").text("access_token")))
        #expect(try site.refresh().status == 200)
        #expect(try site.familiesRevoked() == 0)
    }

    @Test("survives a lost answer, though the broker is killed over it")
    func killed() throws {
        let site = try PalbaseSite()
        for _ in 0..<3 {
            try site.control(.put, "/behaviour", ["close_after_bytes": 0])
            _ = try site.refresh()
            let presented = try site.presentations()
            try site.restart(SIGKILL) { try site.control(.delete, "/behaviour") }
            try Deadline.until("the session goes on") { try site.refresh().status == 200 }
            #expect(try site.presentations() > presented)
            #expect(try site.takes(site.broker.fetch("web").text("access_token")))
        }
        #expect(try site.familiesRevoked() == 0)
    }

    @Test("is killed at any moment of its refreshes, and loses nothing")
    func killedAnywhere() throws {
        let site = try PalbaseSite(token: "refresh: ahead")
        for round in 0..<8 {
            let connection = try Connection(unix: site.broker.adminSocket)
            try connection.send(HTTPClientRequest(.post, "/v1/tokens/web/refresh", host: "localhost"))
            usleep(UInt32(round * 700))
            try site.restart(SIGKILL)
        }
        try Deadline.until("the session goes on") { try site.refresh().status == 200 }
        #expect(try site.takes(site.broker.fetch("web").text("access_token")))
        #expect(try site.familiesRevoked() == 0)
    }

    @Test("is lost with the store: its seed is never presented again, and a new one ends that")
    func lostStore() throws {
        let site = try PalbaseSite()
        #expect(try site.broker.fetch("web").status == 200)
        try site.restart {
            for suffix in ["", "-wal", "-shm"] { unlink(site.scratch.path("store.sqlite" + suffix)) }
        }
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 503)
        #expect(answer.code == "session_lost")
        #expect(try site.presentations() == 1)
        #expect(try site.broker.status(of: "web")["state"] == "session_lost")
        #expect(Files.permissions(site.scratch.path("store.sqlite.spent-seeds")) == 0o600)

        try site.control(.post, "/sessions", ["refresh_token": "second-seed"])
        try site.scratch.write("seed", "second-seed")
        try Deadline.until("a token of the new session", patience: .seconds(9)) {
            try site.broker.fetch("web").status == 200
        }
        #expect(try site.takes(site.broker.fetch("web").text("access_token")))
    }

    @Test("that the provider has ended is not asked for again")
    func ended() throws {
        let site = try PalbaseSite { try PalbaseSite.control($0, .post, "/revoke", ["session": "session_demo"]) }
        let answer = try site.broker.fetch("web")
        #expect(answer.code == "session_lost")
        #expect(answer.integer("provider_status") == 401)
        #expect(answer.text("provider_code") == "session_revoked")
        for _ in 0..<5 { #expect(try site.broker.fetch("web").code == "session_lost") }
        #expect(try site.refresh().code == "session_lost")
        #expect(try site.presentations() == 1)
    }

    @Test("is not begun without a store that keeps its tokens")
    func brokenStore() throws {
        let site = try PalbaseSite()
        #expect(try site.broker.fetch("web").status == 200)
        let presented = try site.presentations()
        try site.restart { try site.scratch.write("store-key", String(repeating: "ab", count: 32)) }
        #expect(try site.refresh().code == "secret_unavailable")
        #expect(try site.presentations() == presented)
    }

    @Test("a key that the provider refuses is the operator's to mend, and costs no refresh token")
    func refusedKey() throws {
        let site = try PalbaseSite {
            try PalbaseSite.control($0, .post, "/keys", ["revoke": .string(PalbaseSite.publishableKey)])
        }
        let answer = try site.broker.fetch("web")
        #expect(answer.code == "provider_rejected_secret")
        #expect(answer.text("provider_code") == "revoked_api_key")
        try site.control(.post, "/keys", ["add": .string(PalbaseSite.publishableKey)])
        #expect(try site.refresh().status == 200)
        #expect(try site.takes(site.broker.fetch("web").text("access_token")))
    }

    @Test("a service key is served where the configuration says so, and is proven when somebody doubts it")
    func serviceKey() throws {
        let site = try PalbaseSite("", key: PalbaseSite.serviceKey, token: "reveal_secret: true")
        #expect(try site.broker.fetch("web").text("access_token") == PalbaseSite.serviceKey)
        #expect(try site.todos([("apikey", PalbaseSite.serviceKey)]).status == 200)
        let report: JSONValue = ["access_token": .string(PalbaseSite.serviceKey)]
        let good = try site.broker.connect().exchange(.post, "/v1/tokens/web/rejected", body: report.serialized())
        #expect(good.code == "token_not_stale")
        try site.control(.post, "/keys", ["revoke": .string(PalbaseSite.serviceKey)])
        let bad = try site.broker.connect().exchange(.post, "/v1/tokens/web/rejected", body: report.serialized())
        #expect(bad.code == "provider_rejected_secret")
        #expect(try site.broker.fetch("web").code == "provider_rejected_secret")
    }

    @Test("none of its secrets is in a log, a status or a file that is not encrypted")
    func secrecy() throws {
        let site = try PalbaseSite()
        let token = try #require(try site.broker.fetch("web").text("access_token"))
        try site.control(.put, "/behaviour", ["error": "token_reuse"])
        _ = try site.refresh()
        var texts = [site.broker.log.text, String(decoding: try site.broker.status().serialized(), as: UTF8.self)]
        for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite.spent-seeds"] {
            texts.append(try Files.text(site.scratch.path(name)))
        }
        for text in texts {
            for secret in [token, PalbaseSite.seed, PalbaseSite.publishableKey] { #expect(!text.contains(secret)) }
        }
    }
}
