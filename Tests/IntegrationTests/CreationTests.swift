import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("Rotating to a key that the provider makes", .blocking)
struct CreationTests {
    private static let secret = CreationSite.secret

    @Test("goes from one key to the next, and revokes those that it had made", arguments: CreationSite.Account.allCases)
    func rotate(_ account: CreationSite.Account) throws {
        let site = try CreationSite(account)
        let before = try site.keys()
        let first = try site.create()
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("\(Self.secret): version 2 ("))
        #expect(first.output.contains("Version 1 was not made by the broker: revoke it at the provider yourself"))
        #expect(first.errors.contains("asking the provider to make a key"))
        let made = try #require(try site.keys().first)
        #expect(made.wholeMatch(of: #/tokenbroker-gateway-key-2-[0-9a-f]{8}/#) != nil)
        try Deadline.until("the first key to be retired") { try site.states() == ["retired", "active"] }
        #expect(try site.keys() == [made] + before)

        let second = try site.create()
        #expect(second.status == 0, "\(second.errors)")
        #expect(second.output.contains("Its key \(made) at gateway ("))
        try Deadline.until("the second key to be revoked") {
            try site.versions().contains { $0["issued"]?["revoked_at"] != nil }
        }
        #expect(!(try site.keys().contains(made)))
        #expect(try site.keys().count == before.count + 1)
        #expect(try site.states() == ["retired", "retired", "active"])
        try site.broker.log.line(with: "notice Key revoked at its provider", "secret.version=2")
        // What is handed out is the new one, which the provider takes.
        let verification = try site.broker.admin(.post, "/v1/tokens/app/refresh")
        #expect(verification.code == "token_not_stale")
    }

    @Test("tells nobody the key")
    func secrecy() throws {
        let site = try CreationSite(.gateway)
        let ended = try site.create()
        let json = try site.create("--json")
        let key = try #require(try site.broker.fetch("app").text("access_token"))
        #expect(key.hasPrefix("agw_"))
        let search = LeakSearch()
        search.plant(key, "agw_mgmt_example")
        for text in [ended.output, ended.errors, json.output, json.errors] { search.look(through: text, "command") }
        search.look(through: site.broker.log.text, "log")
        for path in ["/v1/secrets", "/v1/status", "/v1/audit", "/metrics", "/"] {
            search.look(through: try site.broker.admin(.get, path).body, path)
        }
        #expect(search.leaks.isEmpty)
        let audit = String(decoding: try site.broker.admin(.get, "/v1/audit").body, as: UTF8.self)
        for action in ["request", "create", "verify", "promote"] {
            #expect(audit.contains("\"\(action)\""), "\(action)")
        }
    }

    @Test("can be looked at before, which does nothing", arguments: CreationSite.Account.allCases)
    func dryRun(_ account: CreationSite.Account) throws {
        let site = try CreationSite(account)
        let before = try site.keys()
        let ended = try site.create("--dry-run")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.hasPrefix("\(Self.secret): nothing is done now; --create alone would\n  1. have gateway"))
        #expect(ended.output.contains("revoke version 1 at the provider yourself"))
        let json = try JSONValue(parsing: Array(try site.create("--dry-run --json").output.utf8))
        #expect(
            json["steps"]?.array?.compactMap { $0["step"]?.string }
                == ["create", "stage", "verify", "promote", "wait", "revoke"]
        )
        #expect(try site.keys() == before)
        #expect(try site.states() == ["active"])
    }

    @Test("changes nothing where the plan has no room for another key, and says what to do")
    func planCap() throws {
        let site = try CreationSite(.gateway)
        try site.simulator.order("app-ai-gateway", "settings", ["active_keys_per_app": 2])
        let ended = try site.create()
        #expect(ended.status == 1)
        #expect(ended.output == "")
        #expect(ended.errors.contains("tokenbroker: provider_quota_exhausted: no key was made, and nothing changed"))
        #expect(ended.errors.contains("(2 of 2); revoke one there"))
        #expect(ended.errors.contains("code billing_plan_limit_reached"))
        #expect(try site.states() == ["active"])
    }

    @Test("revokes a new key that the provider refuses, and the one before stays at work")
    func refused() throws {
        let site = try CreationSite(.gateway)
        let before = try site.keys()
        try site.simulator.behave(
            "app-ai-gateway",
            ["path": "/v1/apps/example-header-a1b2c3/me", "status": 401]
        )
        let ended = try site.create()
        #expect(ended.status == 1)
        #expect(ended.errors.contains("tokenbroker: provider_rejected_secret: "))
        #expect(ended.errors.contains("version 1 stays in force. The key that was made is revoked at the provider"))
        try Deadline.until("the new key to be revoked") { try site.keys() == before }
        #expect(try site.states() == ["active", "retired"])
    }

    @Test("finds a key whose maker's answer was lost, and revokes it")
    func lost() throws {
        let site = try CreationSite(.gateway)
        let before = try site.keys()
        try site.simulator.behave(
            "app-ai-gateway",
            ["path": .string(site.account.keys), "close_after_bytes": 0, "times": 1]
        )
        let ended = try site.create()
        #expect(ended.status == 1)
        #expect(ended.errors.contains("tokenbroker: provider_unavailable: whether the key tokenbroker-gateway-key-2-"))
        try Deadline.until("the lost key to be revoked") {
            try site.versions().contains { $0["issued"]?["revoked_at"] != nil }
        }
        #expect(try site.keys() == before)
    }

    @Test("finds what was asked for before the broker was killed, and revokes it")
    func killed() throws {
        let site = try CreationSite(.gateway)
        let before = try site.keys()
        try site.simulator.behave("app-ai-gateway", ["path": .string(site.account.keys), "hang": true])
        let creation = try site.start("rotate \(Self.secret) --create")
        let name = try Deadline.poll("the request") {
            try site.versions().first { $0["state"]?.string == "requested" }?["issued"]?["name"]?.string
        }
        try site.simulator.behaveNormally("app-ai-gateway")
        // As if the request had arrived.
        try site.makeKey(named: name)
        try site.restart()
        #expect(try creation.waitForEnd() != 0)
        try Deadline.until("the key to be revoked") { try site.keys() == before }
        #expect(try site.states() == ["active", "retired"])
        #expect(try site.broker.fetch("app").status == 200)
    }

    @Test("is told of while a key cannot be revoked")
    func unrevoked() throws {
        let site = try CreationSite(.relay)
        _ = try site.create()
        try site.simulator.behave("new-api", ["path": "/api/token/2", "status": 500])
        _ = try site.create()
        let problem = try Deadline.poll("the problem") {
            try site.broker.status()["secrets"]?.array?.compactMap { $0["problem"]?.string }
                .first { $0.contains("is not revoked yet") }
        }
        #expect(problem.contains("version 2 has retired, and its key tokenbroker-gateway-key-2-"))
        let metrics = String(decoding: try site.broker.admin(.get, "/metrics").body, as: UTF8.self)
        #expect(metrics.contains("tokenbroker_secret_key_unrevoked{secret=\"gateway-key\"} 1\n"))
        let list = try site.run("list").output
        #expect(list.contains(" at gateway (2) is not revoked yet: provider_unavailable: "))
        try site.simulator.behaveNormally("new-api")
        try Deadline.until("the key to be revoked", patience: .seconds(40)) {
            try site.versions().contains { $0["issued"]?["revoked_at"] != nil }
        }
    }

    @Test("is for managed secrets of providers with a key API")
    func refusedHere() throws {
        let site = try CreationSite(.gateway)
        let file = try site.run("rotate admin --create")
        #expect(file.status == 1)
        #expect(file.errors.contains("tokenbroker: conflict: secret admin comes from a file"))
        let other = try site.run("rotate spare --create")
        #expect(other.status == 1)
        #expect(other.errors.contains("tokenbroker: conflict: no provider whose key is spare has 'management:'"))
        #expect(try site.run("rotate spare --dry-run").status == 64)
    }
}
