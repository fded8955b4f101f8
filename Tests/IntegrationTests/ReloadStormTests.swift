import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Many reloads", .blocking)
struct ReloadStormTests {
    @Test("a hundred, valid and invalid in turn, change nothing for a token whose definition stays")
    func hundred() throws {
        let site = try Site()
        let first = try site.broker.fetch("web")
        let waiting = try site.broker.connect()
        let tag = try #require(first.headers.first("etag"))
        try waiting.send(
            "GET /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \(tag)\r\nPrefer: wait=60\r\n\r\n"
        )
        for round in 0..<100 {
            let isValid = round.isMultiple(of: 2)
            try site.broker.rewrite(isValid ? site.settings.text : "tokens: { web: { provider: nobody } }\n")
            if round < 50 {
                #expect(try site.broker.admin(.post, "/v1/reload").status == (isValid ? 200 : 422))
            } else {
                site.broker.process.send(SIGHUP)
            }
            let answer = try site.broker.fetch("web")
            #expect(answer.status == 200)
            #expect(answer.integer("generation") == first.integer("generation"))
        }
        #expect(try site.simulator.mints() == 1)
        try site.broker.rewrite(site.settings.text)
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        #expect(try waiting.receive().status == 200, "the one who waited is answered by what comes next")
    }

    @Test("a changed definition never serves what the old one minted, and a caller who lost its grant is refused")
    func changed() throws {
        let site = try Site()
        let first = try #require(try site.broker.fetch("web").text("access_token"))
        let other = site.settings.text.replacing(SimulatorProcess.product, with: "ffffffff-1d2c-4c59-9a6e-3f1f0f6f2a77")
        try site.broker.rewrite(other)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try site.broker.fetch("web").text("access_token") != first)
        try site.broker.rewrite(site.settings.text.replacing("allow: [{ user: \(geteuid()) }]", with: "allow: []"))
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try site.broker.fetch("web").code == "unknown_token")
    }
}
