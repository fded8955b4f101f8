import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("What a provider can do wrong", .blocking)
struct ProviderFaultTests {
    /// Stands in answers that must not be quoted anywhere.
    private static let canary = "canary-4f1c9a"

    private func site(_ behaviour: JSONValue, timeout: String = "10s") throws -> Site {
        try Site { settings, simulator in
            try simulator.behave(behaviour)
            settings = Settings(settings.scratch)
            settings.addSecret("key", file: "secret")
            settings.addProvider("autocomplete", simulator.baseURL, options: "timeout: \(timeout)")
            settings.addToken("web", options: Site.onDemand)
        }
    }

    @Test("a key that is refused is the operator's to mend")
    func rejectedSecret() throws {
        let site = try Site(Site.onDemand) { _, simulator in try simulator.revokeKey() }
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 502)
        #expect(answer.code == "provider_rejected_secret")
        #expect(answer.integer("provider_status") == 401)
        #expect(answer.text("provider_code") == "INVALID_SECRET_KEY")
        #expect(answer.text("provider_request_id")?.hasPrefix("req_") == true)
        #expect(try site.broker.status(of: "web")["state"] == "secret_rejected")
        try site.broker.log.line(with: "error a token cannot be minted", "error.code=provider_rejected_secret")
        // The key is not hammered.
        for _ in 0..<20 { #expect(try site.broker.fetch("web").code == "provider_rejected_secret") }
        #expect(try site.simulator.requests() == 1)
    }

    @Test("a product that the provider does not know is the operator's to mend too")
    func rejectedRequest() throws {
        let site = try site(["status": 404])
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 502)
        #expect(answer.code == "provider_rejected_request")
        #expect(answer.integer("provider_status") == 404)
        #expect(try site.broker.status(of: "web")["state"] == "misconfigured")
    }

    @Test("a pause that the provider asks for is passed on and kept")
    func rateLimit() throws {
        let site = try site(["status": 429, "retry_after": "7", "times": 1])
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 503)
        #expect(answer.code == "provider_rate_limited")
        #expect(answer.headers.values("Retry-After") == ["7"])
        #expect(answer.integer("retry_after") == 7)
        #expect(answer.integer("provider_status") == 429)
        #expect(try site.broker.fetch("web").code == "provider_rate_limited")
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").code == "provider_rate_limited")
        #expect(try site.simulator.requests() == 1)
        #expect(try site.broker.status(of: "web")["state"] == "rate_limited")
    }

    @Test(
        "an answer that cannot be read is as good as none, and is quoted nowhere",
        arguments: [
            ["body_form": "html"], ["body_form": "empty"], ["body_form": "truncated"],
            ["body_form": "oversized", "oversized_bytes": 1_100_000], ["body_form": "non_utf8"],
            ["body": "{\"access_token\": \"canary-4f1c9a\", \"expires_at\": \"soon\"}"],
            ["body": "{\"access_token\": \"canary-4f1c9a \\u0000\"}"], ["body": "{\"access_token\": \"\"}"],
            ["body": "{\"token\": \"canary-4f1c9a\"}"], ["body": "canary-4f1c9a"], ["body": "[\"canary-4f1c9a\"]"],
            ["body": "{\"access_token\": \"canary-4f1c9a\", \"access_token\": \"canary-4f1c9a\"}"],
            ["status": 500, "body": "canary-4f1c9a"], ["status": 403, "body": "canary-4f1c9a"],
            ["status": 503, "body": "{\"error\": {\"code\": \"canary-4f1c9a canary\"}}"], ["close_after_bytes": 0],
            ["close_after_bytes": 100],
        ] as [JSONValue]
    )
    func unreadable(_ behaviour: JSONValue) throws {
        let site = try site(behaviour)
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 503)
        #expect(answer.code == "provider_unavailable")
        let texts = [
            String(decoding: answer.body, as: UTF8.self), site.broker.log.text,
            String(decoding: try site.broker.status().serialized(), as: UTF8.self),
        ]
        try site.broker.log.line(with: "Mint failed", "token=web", "error.code=provider_unavailable")
        for text in texts {
            #expect(!text.contains(Self.canary))
            #expect(!text.contains("Something went wrong"))
        }
        // It passes like any outage.
        try site.simulator.behaveNormally()
        try Deadline.until("recovery") { try site.broker.fetch("web").status == 200 }
    }

    @Test("a provider that does not answer holds a caller up for no longer than its timeout")
    func hang() throws {
        let site = try site(["hang": true], timeout: "1s")
        let start = ContinuousClock.now
        let answer = try site.broker.fetch("web")
        #expect(answer.code == "provider_unavailable")
        #expect((.milliseconds(900)..<(.seconds(9))).contains(ContinuousClock.now - start))
    }

    @Test("a mint ends with its own deadline, whatever the provider's timeout")
    func mintDeadline() throws {
        let site = try Site(Site.onDemand) { settings, simulator in
            settings.extra = ["limits: { mint_deadline: 1s }"]
            try simulator.behave(["hang": true])
        }
        let start = ContinuousClock.now
        #expect(try site.broker.fetch("web").code == "provider_unavailable")
        #expect((.milliseconds(900)..<(.seconds(9))).contains(ContinuousClock.now - start))
        try Deadline.until("the request is given up") { try site.simulator.requestsInFlight() == 0 }
    }

    @Test("one provider that hangs delays nobody else's token")
    func isolation() throws {
        let scratch = try Scratch()
        let (hanging, working) = (try SimulatorProcess(scratch), try SimulatorProcess(scratch))
        try hanging.behave(["hang": true])
        var settings = try Settings(scratch, working)
        settings.addProvider("hanging", hanging.baseURL)
        for index in 0..<20 { settings.addToken("stuck-\(index)", provider: "hanging") }
        settings.addToken("later", options: Site.onDemand)
        let broker = try BrokerProcess(scratch, settings.text)
        try Deadline.until("mints hang") { try hanging.requestsInFlight() > 0 }
        let start = ContinuousClock.now
        #expect(try broker.fetch("later").status == 200)
        #expect(try broker.fetch("web").status == 200)
        #expect(ContinuousClock.now - start < .seconds(9))
    }

    @Test("a redirect is not followed")
    func redirect() throws {
        let site = try Site(Site.onDemand) { _, simulator in
            try simulator.behave([
                "status": 307, "location": .string(simulator.baseURL + "/api/auth/token"), "times": 1,
            ])
        }
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 502)
        #expect(answer.code == "provider_rejected_request")
        #expect(answer.integer("provider_status") == 307)
        #expect(try site.simulator.requests() == 1)
        #expect(try site.simulator.mints() == 0)
    }

    @Test("nobody at the provider's address")
    func refused() throws {
        let scratch = try Scratch()
        var simulator: SimulatorProcess? = try SimulatorProcess(scratch)
        let settings = try Settings(scratch, #require(simulator), options: Site.onDemand)
        simulator = nil
        let answer = try BrokerProcess(scratch, settings.text).fetch("web")
        #expect(answer.status == 503)
        #expect(answer.code == "provider_unavailable")
        #expect(answer.json["provider_status"] == nil)
    }

    // MARK: TLS

    private func secureSite(trusting: Bool) throws -> Site {
        try Site { settings, simulator in
            settings = Settings(settings.scratch)
            settings.addSecret("key", file: "secret")
            let trust = trusting ? "tls: { ca_file: \(simulator.authority) }" : ""
            settings.addProvider("autocomplete", simulator.secureBaseURL, options: trust)
            settings.addToken("web", options: Site.onDemand)
        }
    }

    @Test("HTTPS works with the authority that the configuration names")
    func trusted() throws {
        let site = try secureSite(trusting: true)
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 200)
        #expect(try site.simulator.suggest(#require(answer.text("access_token"))) == 200)
    }

    @Test("an authority that nobody vouches for gets no key")
    func untrusted() throws {
        let site = try secureSite(trusting: false)
        let answer = try site.broker.fetch("web")
        #expect(answer.status == 502)
        #expect(answer.code == "provider_untrusted")
        #expect(try site.simulator.requests() == 0)
        #expect(try site.broker.status(of: "web")["state"] == "misconfigured")
    }
}
