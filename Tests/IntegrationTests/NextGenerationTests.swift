import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Waiting for the next generation", .blocking)
struct NextGenerationTests {
    @Test("a caller that holds what is served is told so at once, with a tag of any kind")
    func notModified() throws {
        let site = try Site()
        let tag = try #require(try site.broker.fetch("web").headers.first("etag"))
        for tags in [tag, "W/\(tag)", "\"1\", \(tag)", "*"] {
            let answer = try site.broker.fetch("web", ("If-None-Match", tags))
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
            #expect(answer.headers.first("etag") == tag)
        }
        #expect(try site.broker.fetch("web", ("If-None-Match", "\"1\"")).status == 200)
    }

    @Test("a hundred polls are answered by one refresh, and what comes is another generation")
    func polls() throws {
        let site = try Site()
        let tag = try #require(try site.broker.fetch("web").headers.first("etag"))
        let request =
            "GET /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \(tag)\r\nPrefer: wait=60\r\n\r\n"
        let polls = try (0..<100).map { _ in
            let connection = try site.broker.connect()
            try connection.send(request)
            return connection
        }
        try Deadline.until("the polls") {
            try site.broker.status()["tokens"]?.array?.first?["waiters"]?.number?.int64 == 100
        }
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        for poll in polls {
            let answer = try poll.receive()
            #expect(answer.status == 200)
            #expect(answer.headers.first("etag") != tag)
        }
        #expect(try site.simulator.mints() == 2)
    }

    @Test("a poll that nothing came of ends with 304, one that its client leaves is forgotten")
    func ends() throws {
        let site = try Site()
        let tag = try #require(try site.broker.fetch("web").headers.first("etag"))
        #expect(try site.broker.fetch("web", ("If-None-Match", tag), ("Prefer", "wait=1")).status == 304)
        do {
            let leaving = try site.broker.connect()
            try leaving.send(
                "GET /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \(tag)\r\nPrefer: wait=60\r\n\r\n"
            )
            try Deadline.until("the poll") {
                try site.broker.status()["tokens"]?.array?.first?["waiters"]?.number?.int64 == 1
            }
        }
        try Deadline.until("its end") {
            try site.broker.status()["tokens"]?.array?.first?["waiters"]?.number?.int64 == 0
        }
    }
}

@Suite("Reporting a refused token", .blocking)
struct RejectionTests {
    private func report(_ site: Site, _ body: String) throws -> Answer {
        try site.broker.connect().exchange(.post, "/v1/tokens/web/rejected", body: Array(body.utf8))
    }

    @Test("brings another token that works, while the refused one is not handed back")
    func another() throws {
        let site = try Site()
        let first = try #require(try site.broker.fetch("web").text("access_token"))
        let answer = try report(site, #"{"access_token":"\#(first)"}"#)
        #expect(answer.status == 200)
        let second = try #require(answer.text("access_token"))
        #expect(second != first)
        #expect(try site.simulator.suggest(second) == 200)
        #expect(try report(site, #"{"access_token":"\#(first)"}"#).text("access_token") == second)
        #expect(try site.simulator.mints() == 2)
    }

    @Test("that the provider answers with the same token again is the provider's failure")
    func sameAgain() throws {
        let site = try Site()
        let first = try #require(try site.broker.fetch("web").text("access_token"))
        try site.simulator.behave(["same_token": true])
        let answer = try report(site, #"{"access_token":"\#(first)"}"#)
        #expect(answer.status == 503)
        #expect(answer.code == "provider_unavailable")
        #expect(try site.broker.fetch("web").text("access_token") == first)
    }

    @Test("has a budget, and a code that is not about the token changes nothing")
    func budget() throws {
        let site = try Site()
        var present = try #require(try site.broker.fetch("web").text("access_token"))
        let attest = #"{"access_token":"\#(present)","provider_code":"app_attest_required"}"#
        #expect(try report(site, attest).text("access_token") == present)
        for _ in 0..<5 {
            present = try #require(try report(site, #"{"access_token":"\#(present)"}"#).text("access_token"))
        }
        let sixth = try report(site, #"{"access_token":"\#(present)"}"#)
        #expect(sixth.status == 429)
        #expect(sixth.code == "too_many_rejections")
        #expect(try site.broker.fetch("web").text("access_token") == present)
    }

    @Test("is refused when it makes no sense", arguments: ["", "[]", "{}", #"{"access_token":1}"#, #"{"token":"x"}"#])
    func invalid(_ body: String) throws {
        let answer = try report(try Site(), body)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
    }
}
