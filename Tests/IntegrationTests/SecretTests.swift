import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Long-lived secrets", .blocking)
struct SecretTests {
    /// A site with one more account, `second`, whose key is in a file of its own.
    private func site(_ prepare: (Settings) throws -> Void) throws -> Site {
        try Site { settings, simulator in
            settings.addSecret("second-key", file: "second-secret")
            settings.addProvider("second", simulator.baseURL, secret: "second-key")
            settings.addToken("second-web", provider: "second")
            try prepare(settings)
        }
    }

    @Test("a secret that is missing stops its own token only, until the file is there")
    func missing() throws {
        let site = try site { _ in }
        #expect(try site.broker.fetch("web").status == 200)
        let answer = try site.broker.fetch("second-web")
        #expect(answer.status == 503)
        #expect(answer.code == "secret_unavailable")
        #expect(try #require(answer.integer("retry_after")) >= 1)
        let status = try site.broker.status(of: "second-web")
        #expect(status["state"] == "waiting_for_secret")
        #expect(status["last_error"]?["detail"]?.string?.contains(site.scratch.path("second-secret")) == true)
        #expect(try site.broker.admin(.get, "/readyz").status == 503)

        try site.scratch.write("second-secret", SimulatorProcess.secretKey)
        try site.broker.log.line(with: "Token minted", "token=second-web")
        #expect(try site.broker.fetch("second-web").status == 200)
        #expect(try site.broker.admin(.get, "/readyz").status == 200)
    }

    @Test(
        "a secret that others could read or change is not used, and the text has the command that mends it",
        arguments: [(0o644, "chmod o="), (0o604, "chmod o="), (0o620, "chmod g-w")] as [(mode_t, String)]
    )
    func exposed(_ mode: mode_t, _ remedy: String) throws {
        let site = try site { try $0.scratch.write("second-secret", SimulatorProcess.secretKey, mode: mode) }
        let answer = try site.broker.fetch("second-web")
        #expect(answer.code == "secret_unavailable")
        #expect(answer.text("detail")?.contains("\(remedy) \(site.scratch.path("second-secret"))") == true)
        try site.broker.log.line(with: "token=second-web", "error.code=secret_unavailable", remedy)
        #expect(try site.broker.fetch("web").status == 200)
    }

    @Test(
        "a value that cannot be the key is refused without being sent or shown",
        arguments: [
            ("pk_v1_precious", "sk_v1_"), ("at_v1_precious", "sk_v1_"), ("rd_sk_precious", "sk_v1_"), ("", ""),
            ("\n", ""), ("sk_v1_pre\ncious", ""), ("sk_v1_precious\n\n", ""), ("sk_v1_pre\u{7}cious", ""),
        ]
    )
    func wrongKind(_ value: String, _ expected: String) throws {
        let site = try site { try $0.scratch.write("second-secret", value) }
        let answer = try site.broker.fetch("second-web")
        #expect(answer.code == "secret_unavailable")
        let detail = try #require(answer.text("detail"))
        #expect(detail.contains(expected))
        #expect(!detail.contains("precious"))
        try site.broker.log.line(with: "token=second-web", "error.code=secret_unavailable")
        #expect(!site.broker.log.text.contains("precious"))
        #expect(try site.broker.fetch("web").status == 200)
        #expect(try site.simulator.requests() == 1)
    }

    @Test("a key that was replaced in its file is noticed, proven and used by itself")
    func replaced() throws {
        let site = try Site()
        #expect(try site.broker.fetch("web").status == 200)
        try site.simulator.revokeKey()
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").code == "provider_rejected_secret")
        #expect(try site.broker.fetch("web").json["degraded"] == true)
        try site.simulator.addKey("sk_v1_successor")
        try site.scratch.write("secret", "sk_v1_successor")
        try site.broker.log.line(with: "Secret promoted", "secret=key")
        try Deadline.until("a token of the new key", patience: .seconds(9)) {
            try site.broker.fetch("web").json["degraded"] == false
        }
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
    }

    @Test("a key that the provider refuses changes nothing, and a file that is gone does not either")
    func badSuccessor() throws {
        let site = try Site()
        let token = try site.broker.fetch("web").text("access_token")
        try site.scratch.write("secret", "sk_v1_unheard_of")
        try site.broker.log.line(with: "the provider refuses the new value of a secret", "secret=key")
        #expect(try site.broker.fetch("web").text("access_token") == token)
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        unlink(site.scratch.path("secret"))
        try site.broker.log.line(with: "Secret gives no value", "secret=key")
        #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
        #expect(!site.broker.log.text.contains("unheard_of"))
    }

    @Test("a reload ends the pause behind a refused key that is another now")
    func reloaded() throws {
        let site = try Site { _, simulator in try simulator.revokeKey() }
        #expect(try site.broker.fetch("web").code == "provider_rejected_secret")
        try site.simulator.addKey("sk_v1_successor")
        try site.scratch.write("secret", "sk_v1_successor")
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        try Deadline.until("a token", patience: .seconds(9)) { try site.broker.fetch("web").status == 200 }
    }

    @Test("one line end behind the value is not part of it", arguments: ["", "\n", "\r\n"])
    func lineEnd(_ end: String) throws {
        let site = try site { try $0.scratch.write("second-secret", SimulatorProcess.secretKey + end) }
        #expect(try site.broker.fetch("second-web").status == 200)
    }
}
