import HTTPWire
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Status page", .blocking)
struct StatusPageTests {
    @Test("is plain HTML that may fetch and run nothing")
    func form() async throws {
        let harness = try Harness.operated()
        try await harness.mintWeb("at_v1_value")
        let answer = try await harness.request("GET /", on: .admin)
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
        #expect(answer.header("Content-Security-Policy") == "default-src 'none'; style-src 'unsafe-inline'")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        for word in ["<script", "src=", "href=", "url(", "at_v1"] {
            #expect(!answer.text.contains(word))
        }
        #expect(answer.text.contains("<h2>web</h2>"))
        #expect(answer.text.contains("<dt>State</dt><dd>ready</dd>"))
        #expect(answer.text.contains("<dt>Expires</dt><dd>2026-04-01T00:33:20Z, in 3600 s</dd>"))
        #expect(answer.text.contains("<dt>Provider</dt><dd>account (fake)</dd>"))
        #expect(answer.text.contains("<dt>Mints</dt><dd>1</dd>"))
        #expect(answer.text.contains("tokenbroker 1.2.3: ready"))
    }

    @Test("tells when a token failed last and how, and escapes what it was told")
    func escaping() async throws {
        let harness = try Harness.operated()
        harness.provider.give(.failure(MintFailure(.secretRejected, detail: "<script>alert('1') & \"2\"")))
        _ = try await harness.request("GET /v1/tokens/web")
        var facts = DaemonFacts.example
        facts.reloadProblems = ["<b>line 1"]
        facts.warnings = ["<i>hm"]
        harness.servers.factsChanged(facts)
        let text = try await harness.request("GET /", on: .admin).text
        #expect(text.contains("provider_rejected_secret, 2026-03-31T23:33:20Z"))
        #expect(text.contains("&lt;script&gt;alert(&#39;1&#39;) &amp; &quot;2&quot;"))
        #expect(text.contains("Not reloaded: &lt;b&gt;line 1"))
        #expect(text.contains("Warning: &lt;i&gt;hm"))
        #expect(text.contains("<dt>State</dt><dd>secret_rejected</dd>"))
        #expect(text.contains("<dt>Failures</dt><dd>1 (1 in a row)</dd>"))
        for tag in ["<script", "<b>", "<i>"] { #expect(!text.contains(tag)) }
    }

    @Test("says that it is not ready, and of a token that is not held")
    func notReady() async throws {
        let harness = try Harness.operated(.account([.open("web", .ahead)]))
        let text = try await harness.request("GET /", on: .admin).text
        #expect(text.contains("tokenbroker 1.2.3: not ready"))
        #expect(text.contains("<dt>Expires</dt><dd>-</dd>"))
    }
}
