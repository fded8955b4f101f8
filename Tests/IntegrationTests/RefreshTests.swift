import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Keeping a token fresh", .blocking)
struct RefreshTests {
    @Test("a token is replaced ahead of its end, and no answer is ever an expired one")
    func ahead() throws {
        let site = try Site(lifetime: 10)
        let first = try site.broker.fetch("web")
        let end = try #require(first.integer("expires_at_ms"))
        let second = try Deadline.poll("the next token") { () -> Answer? in
            let asked = WallClock.milliseconds
            let answer = try site.broker.fetch("web")
            #expect(answer.status == 200)
            #expect(try #require(answer.integer("expires_at_ms")) > asked)
            return answer.integer("generation") == first.integer("generation") ? nil : answer
        }
        #expect(WallClock.milliseconds < end - 1000)
        #expect(try site.simulator.suggest(#require(second.text("access_token"))) == 200)
        #expect(try #require(second.integer("generation")) > #require(first.integer("generation")))
    }

    @Test("while the provider is down the token is served on as degraded, and never beyond its end")
    func outage() throws {
        let site = try Site(lifetime: 10)
        let first = try site.broker.fetch("web")
        try site.simulator.behave(["status": 503])
        let end = try #require(first.integer("expires_at_ms"))
        var wasDegraded = false
        let failure = try Deadline.poll("the end of the token") { () -> Answer? in
            let asked = WallClock.milliseconds
            let answer = try site.broker.fetch("web", ("Prefer", "wait=0"))
            guard answer.status == 200 else { return answer }
            #expect(asked < end)
            #expect(answer.text("access_token") == first.text("access_token"))
            if answer.json["degraded"] == true { wasDegraded = true }
            return nil
        }
        #expect(wasDegraded)
        // It was not given up long before its end either: its last second is not served.
        #expect(WallClock.milliseconds >= end - 1100)
        if failure.code != "deadline_exceeded" {
            #expect(failure.status == 503)
            #expect(failure.code == "provider_unavailable")
            #expect(failure.integer("provider_status") == 503)
            #expect(try #require(failure.integer("retry_after")) >= 1)
        }

        try site.simulator.behaveNormally()
        let second = try Deadline.poll("recovery") {
            let answer = try site.broker.fetch("web")
            return answer.status == 200 ? answer : nil
        }
        #expect(second.json["degraded"] == false)
        #expect(second.text("access_token") != first.text("access_token"))
    }

    @Test("a failure at the start is made good without being asked")
    func start() throws {
        let site = try Site { _, simulator in try simulator.behave(["status": 502, "times": 1]) }
        try site.broker.log.line(with: "Mint failed", "token=web", "provider.status=502")
        try site.broker.log.line(with: "Token minted", "token=web")
        let status = try site.broker.status(of: "web")
        #expect(status["state"] == "ready")
        #expect(status["failures"] == 1)
        #expect(status["failures_in_a_row"] == 0)
    }

    @Test("an on-demand token that nobody asks for any more is refreshed once and then no more")
    func onDemand() throws {
        let site = try Site(Site.onDemand, lifetime: 3) { settings, _ in settings.addToken("ahead") }
        #expect(try site.broker.fetch("web").status == 200)
        try Deadline.until("refreshes of the other token") { try site.broker.status(of: "ahead")["mints"] == 4 }
        #expect(try site.broker.status(of: "web")["mints"] == 2)
    }

    @Test(
        "an answer whose end makes no sense is no token",
        arguments: [
            ["expires_at": "past"], ["expires_at": "zero"], ["expires_at": "rfc3339"], ["lifetime_seconds": 0],
        ] as [JSONValue]
    )
    func nonsense(_ behaviour: JSONValue) throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(behaviour) }
        #expect(try site.broker.fetch("web").code == "provider_unavailable")
    }

    @Test("an end in text or with a fraction is understood, and a missing one is the default lifetime")
    func expiryForms() throws {
        for (form, lifetime) in [("string", 3600), ("float", 3600), ("missing", 90), ("null", 90)] as [(String, Int64)]
        {
            let site = try Site("refresh: on-demand, default_lifetime: 90s") { _, simulator in
                try simulator.behave(["expires_at": .string(form)])
            }
            let answer = try site.broker.fetch("web")
            #expect((lifetime - 2...lifetime).contains(try #require(answer.integer("expires_in"))), "\(form)")
        }
    }

    @Test("an absurd end is capped and logged, never believed and never a trap")
    func absurd() throws {
        for behaviour in [["lifetime_seconds": 9_000_000_000], ["expires_at": "milliseconds"]] as [JSONValue] {
            let site = try Site(Site.onDemand) { _, simulator in try simulator.behave(behaviour) }
            let answer = try site.broker.fetch("web")
            if answer.status == 200 {
                #expect(try #require(answer.integer("expires_in")) <= 30 * 86400)
                try site.broker.log.line(with: "Provider named an absurd lifetime")
            } else {
                #expect(answer.code == "provider_unavailable")
            }
        }
    }

    @Test("a provider's wrong clock does not shorten or lengthen a token", arguments: [-7200, 7200] as [Int64])
    func skew(_ seconds: Int64) throws {
        let site = try Site(Site.onDemand) { _, simulator in
            try simulator.behave(["clock_skew_seconds": .number(JSONNumber(seconds))])
        }
        let answer = try site.broker.fetch("web")
        #expect((3597...3600).contains(try #require(answer.integer("expires_in"))))
        let end = try #require(answer.integer("expires_at_ms"))
        #expect((3597_000...3601_000).contains(end - WallClock.milliseconds))
    }
}
