import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The device policy", .blocking)
struct DevicePolicyTests {
    private func site(_ mode: String = "off", apps: String = "[{ app_id: TEAMID.com.example.app }]") throws -> Site {
        try Site { settings, _ in
            settings.addStore()
            settings.extra.append(
                "routes: { ac-token: { token: web, shape: ai-autocomplete, min_ttl: 0s, devices: \(mode) } }"
            )
            settings.extra.append("devices: { apps: \(apps) }")
        }
    }

    private struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    private func policy(_ broker: BrokerProcess, _ arguments: String...) throws -> Run {
        let words = ["device", "policy"] + arguments + ["--socket", broker.adminSocket]
        let process = try RunningProcess("tokenbroker", words)
        let status = try process.waitForEnd()
        return Run(status: status, output: process.output.text, errors: process.errors.text)
    }

    private func effective(_ broker: BrokerProcess) throws -> JSONValue? {
        try JSONValue(parsing: Array(policy(broker, "get", "--json").output.utf8))["effective"]?["ac-token"]
    }

    private func restart(_ site: Site, _ broker: BrokerProcess, _ signal: Int32) throws -> BrokerProcess {
        broker.process.send(signal)
        _ = try broker.process.waitForEnd()
        return try BrokerProcess(site.scratch, site.settings.text)
    }

    @Test("holds from the next request on, outlives a kill, and goes back to the file's")
    func setAndReset() throws {
        let site = try site()
        #expect(try site.broker.get("/routes/ac-token").status == 200)
        let file = try site.scratch.write("policy.json", #"{"routes":{"ac-token":"monitor"}}"#)
        let set = try policy(site.broker, "set", file)
        #expect(set.status == 0, "\(set.errors)")
        let seen = try site.broker.get("/routes/ac-token")
        #expect(seen.status == 200)
        #expect(seen.headers.values("X-Device-Verdict") == ["missing"])
        #expect(try policy(site.broker, "get").output.contains("enforce would have turned away 1 of 1 requests"))
        try site.scratch.write("policy.json", #"{"routes":{"ac-token":"enforce"}}"#)
        #expect(try policy(site.broker, "set", file).status == 0)
        #expect(try site.broker.get("/routes/ac-token").code == "device_attestation_required")
        let broker = try restart(site, site.broker, SIGKILL)
        #expect(try broker.get("/routes/ac-token").status == 401)
        #expect(try effective(broker) == ["mode": "enforce", "file": "off", "stored": "enforce"])
        #expect(try policy(broker, "set", "--reset").status == 0)
        #expect(try broker.get("/routes/ac-token").status == 200)
        #expect(try effective(broker) == ["mode": "off", "file": "off", "stored": nil])
    }

    @Test("is not changed by who has read an older one, who sees the difference")
    func conflict() throws {
        let site = try site("monitor")
        let told = try policy(site.broker, "get", "--json")
        let mine = try site.scratch.write("mine.json", told.output.replacing(#""monitor""#, with: #""enforce""#))
        let other = try site.scratch.write("other.json", #"{"apps":[{"app_id":"TEAMID.com.example.other"}]}"#)
        #expect(try policy(site.broker, "set", other).status == 0)
        let late = try policy(site.broker, "set", mine)
        #expect(late.status == 1)
        #expect(late.errors.hasPrefix("tokenbroker: precondition_failed"))
        #expect(late.output.contains("- app TEAMID.com.example.other: production\n"))
        #expect(late.output.contains("+ app TEAMID.com.example.app: production\n"))
        #expect(try effective(site.broker)?["mode"] == "monitor")
    }

    @Test("never enforces with nothing to accept, neither from the file nor from an operator")
    func nothingToAccept() throws {
        let site = try site("monitor", apps: "[]")
        let file = try site.scratch.write("policy.json", #"{"routes":{"ac-token":"enforce"}}"#)
        let refused = try policy(site.broker, "set", file)
        #expect(refused.status == 1)
        #expect(refused.errors.hasPrefix("tokenbroker: conflict"))
        #expect(refused.errors.contains("'ac-token'"))
        try site.broker.rewrite(site.settings.text.replacing("devices: monitor", with: "devices: enforce"))
        let answer = try site.broker.admin(.post, "/v1/reload")
        #expect(answer.code == "configuration_invalid")
        #expect(try site.broker.get("/routes/ac-token").status == 200)
    }

    @Test("is told of where a reload leaves it with nothing to accept, and not refused for other routes")
    func leftWithNothing() throws {
        let site = try site("monitor")
        let file = try site.scratch.write("policy.json", #"{"routes":{"ac-token":"enforce"}}"#)
        #expect(try policy(site.broker, "set", file).status == 0)
        let apps = "apps: [{ app_id: TEAMID.com.example.app }]"
        try site.broker.rewrite(site.settings.text.replacing(apps, with: "apps: []"))
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        let red = try site.broker.admin(.get, "/readyz")
        #expect(red.status == 503)
        #expect(red.json["device_policy"]?.string?.contains("'ac-token'") == true)
        try site.broker.log.line(with: "routes with a device gate are closed, whatever was set", "'ac-token'")
        let admin = "TOKENBROKER_ADMIN_SOCKET=\(site.broker.adminSocket)"
        let doctor = try RunningProcess("tokenbroker", ["doctor", "--json"], environment: [admin])
        #expect(try doctor.waitForEnd() == 2)
        #expect(doctor.output.text.contains("gates_closed"))
        // The route goes: what is told can be set again, and the mode is there when the route is.
        try site.broker.rewrite(site.settings.text.replacing("ac-token: {", with: "other: {"))
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try site.broker.admin(.get, "/readyz").status == 200)
        let told = try site.scratch.write("told.json", policy(site.broker, "get", "--json").output)
        let set = try policy(site.broker, "set", told)
        #expect(set.status == 0, "\(set.errors)")
        try site.broker.rewrite(site.settings.text)
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try effective(site.broker)?["mode"] == "enforce")
    }

    @Test("that was lost with its store enforces, and is not ready, until it is set", arguments: [true, false])
    func lost(_ isReset: Bool) throws {
        let site = try site()
        #expect(try site.broker.get("/routes/ac-token").status == 200)
        site.broker.process.send(SIGTERM)
        _ = try site.broker.process.waitForEnd()
        try site.scratch.write("store.sqlite", String(repeating: "junk", count: 4096))
        var broker = try BrokerProcess(site.scratch, site.settings.text)
        let aside = try #require(try broker.status()["store"]?["set_aside"]?.string)
        for _ in 0..<2 {
            #expect(try broker.get("/routes/ac-token").status == 401)
            let red = try broker.admin(.get, "/readyz")
            #expect(red.status == 503)
            #expect(red.json["device_policy"]?.string != nil)
            #expect(try policy(broker, "get").output.hasPrefix("not known what was set"))
            // It stays so when somebody tidies up.
            unlink(aside)
            broker = try restart(site, broker, SIGKILL)
        }
        let file = try site.scratch.write("policy.json", #"{"routes":{"ac-token":"monitor"}}"#)
        let change = try isReset ? policy(broker, "set", "--reset") : policy(broker, "set", file)
        #expect(change.status == 0, "\(change.errors)")
        for _ in 0..<2 {
            #expect(try broker.get("/routes/ac-token").status == 200)
            #expect(try broker.admin(.get, "/readyz").status == 200)
            #expect(try effective(broker)?["mode"] == (isReset ? "off" : "monitor"))
            broker = try restart(site, broker, SIGKILL)
        }
    }

    @Test("that cannot be read enforces, whatever the file says, until the store can be read again")
    func unreadable() throws {
        let site = try site()
        site.broker.process.send(SIGTERM)
        _ = try site.broker.process.waitForEnd()
        let key = try Files.text(site.scratch.path("key"))
        try site.scratch.write("key", String(repeating: "ab", count: 32))
        let broker = try BrokerProcess(site.scratch, site.settings.text)
        #expect(try broker.get("/routes/ac-token").status == 401)
        #expect(try broker.admin(.get, "/readyz").status == 503)
        #expect(try policy(broker, "set", "--reset").errors.hasPrefix("tokenbroker: internal"))
        try site.scratch.write("key", key)
        try Deadline.until("the policy is read") { try broker.admin(.get, "/readyz").status == 200 }
        #expect(try broker.get("/routes/ac-token").status == 200)
    }
}
