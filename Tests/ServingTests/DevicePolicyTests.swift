import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Device policy on the admin socket", .blocking)
struct DevicePolicyTests {
    private static let app = #"{"app_id":"TEAMID.com.example.app"}"#

    @Test("is told with what it comes from, and the revision as its tag")
    func get() async throws {
        let harness = try await Harness.gated(.monitor)
        let answer = try await harness.request("GET /v1/device-policy", on: .admin)
        #expect(answer.status == 200)
        #expect(answer.header("ETag") == "\"0\"")
        #expect(answer.header("Cache-Control") == "no-store")
        #expect(
            answer.json == [
                "revision": 0,
                "source": "file",
                "routes": ["app": "monitor"],
                "apps": [["app_id": "TEAMID.com.example.file", "environments": ["production"]]],
                "effective": ["app": ["mode": "monitor", "file": "monitor", "stored": nil]],
                "observed": ["app": ["verified": 0, "missing": 0, "failed": 0]],
            ]
        )
    }

    @Test("is changed in part by who has read it, and is then told at once")
    func put() async throws {
        let harness = try await Harness.gated(.monitor)
        let answer = try await harness.put(#"{"routes":{"app":"enforce"}}"#, at: 0)
        #expect(answer.status == 200)
        #expect(answer.header("ETag") == "\"1\"")
        #expect(answer.json?["source"] == "stored")
        #expect(answer.json?["effective"]?["app"] == ["mode": "enforce", "file": "monitor", "stored": "enforce"])
        #expect(harness.policies.mode(of: "app") == .enforce)
        let apps = try await harness.put(
            #"{"apps":[{"app_id":"TEAMID.com.example.app","environments":["production","development"]}]}"#,
            at: 1
        )
        #expect(apps.json?["routes"] == ["app": "enforce"])
        #expect(
            apps.json?["apps"] == [
                ["app_id": "TEAMID.com.example.app", "environments": ["development", "production"]]
            ]
        )
        #expect(try await harness.request("GET /v1/device-policy", on: .admin).json == apps.json)
    }

    @Test("takes back what it has told")
    func roundTrip() async throws {
        let harness = try await Harness.gated(.monitor)
        let told = try await harness.request("GET /v1/device-policy", on: .admin)
        let body = String(decoding: told.response.body, as: UTF8.self)
        let set = try await harness.put(body, at: 0)
        #expect(set.status == 200)
        #expect(set.json?["routes"] == told.json?["routes"])
        #expect(set.json?["apps"] == told.json?["apps"])
    }

    @Test("holds from the next request on, on the same connection")
    func nextRequest() async throws {
        let harness = try await Harness.gated(.off)
        try await harness.mintWeb()
        let client = try harness.connect()
        let open = try await harness.exchange(client, "GET /routes/app")
        #expect(open.status == 200)
        #expect(open.header("X-Device-Verdict") == nil)
        _ = try await harness.put(#"{"routes":{"app":"monitor"}}"#, at: 0)
        let seen = try await harness.exchange(client, "GET /routes/app")
        #expect(seen.status == 200)
        #expect(seen.header("X-Device-Verdict") == "missing")
        _ = try await harness.put(#"{"routes":{"app":"enforce"}}"#, at: 1)
        #expect(try await harness.exchange(client, "GET /routes/app").status == 401)
        _ = try await harness.request("DELETE /v1/device-policy", ["If-Match: \"2\""], on: .admin)
        #expect(try await harness.exchange(client, "GET /routes/app").status == 200)
    }

    @Test("counts what enforce turned away, or would have, for the policy and the metrics")
    func observed() async throws {
        let harness = try await Harness.gated(.monitor)
        try await harness.mintWeb()
        _ = try await harness.request("GET /routes/app")
        _ = try await harness.request("GET /routes/app", ["X-Device-Proof: v1"])
        _ = try await harness.put(#"{"routes":{"app":"enforce"}}"#, at: 0)
        #expect(try await harness.request("GET /routes/app").status == 401)
        let policy = try await harness.request("GET /v1/device-policy", on: .admin)
        #expect(policy.json?["observed"] == ["app": ["verified": 0, "missing": 2, "failed": 1]])
        let metrics = try await harness.metrics()
        func count(_ verdict: String) -> String? {
            metrics.value("tokenbroker_device_verdicts_total", ["route": "app", "verdict": verdict])
        }
        #expect([count("verified"), count("missing"), count("failed")] == ["0", "2", "1"])
        let modes = metrics.samples.filter { $0.name == "tokenbroker_device_mode" && $0.value == "1" }
        #expect(modes.map(\.labels) == [["route": "app", "tokenbroker_device_mode": "enforce"]])
        #expect(metrics.value("tokenbroker_device_policy_unreadable") == "0")
    }

    @Test("is not changed by who does not say what was read, or has read something else")
    func conditions() async throws {
        let harness = try await Harness.gated(.monitor)
        let body = #"{"routes":{"app":"enforce"}}"#
        for line in ["PUT /v1/device-policy", "DELETE /v1/device-policy"] {
            let blind = try await harness.request(line, body: body, on: .admin)
            #expect(blind.status == 428)
            #expect(blind.code == "precondition_required")
            for tag in ["\"1\"", "W/\"0\"", "0", "\"\"", "\"00\"", "\" 0\"", "\"0\t\""] {
                let stale = try await harness.request(line, ["If-Match: \(tag)"], body: body, on: .admin)
                #expect(stale.status == 412, "\(tag)")
                #expect(stale.code == "precondition_failed")
            }
        }
        #expect(harness.policies.inForce.source == .file)
        for tags in ["\"7\", \"0\"", "*"] {
            let revision = harness.policies.inForce.revision
            let tags = tags.replacing("\"0\"", with: "\"\(revision)\"")
            let answer = try await harness.request(
                "PUT /v1/device-policy",
                ["If-Match: \(tags)"],
                body: body,
                on: .admin
            )
            #expect(answer.status == 200, "\(tags)")
        }
    }

    @Test(
        "refuses what is no change, and names what is wrong",
        arguments: [
            ("", "JSON"), ("[]", "not a JSON object"), ("{}", "it needs routes, apps or both"),
            (#"{"revision":0}"#, "it needs routes, apps or both"), (#"{"mode":"enforce"}"#, "it knows routes and apps"),
            (#"{"routes":["app"]}"#, "routes is an object"), (#"{"routes":{"none":"off"}}"#, "no route 'none'"),
            (#"{"routes":{"No Name":"off"}}"#, "no route 'No Name'"),
            (#"{"routes":{"app":"on"}}"#, "the mode of route 'app' is off, monitor or enforce"),
            (#"{"routes":{"app":null}}"#, "the mode of route 'app'"), (#"{"apps":{}}"#, "apps is an array"),
            (#"{"apps":["TEAMID.app"]}"#, "an object with an app_id"),
            (#"{"apps":[{"app_id":"com.example.app"}]}"#, "'com.example.app' is not an app id"),
            (#"{"apps":[{"app_id":"TEAMID"}]}"#, "'TEAMID' is not an app id: TEAMID.com.example.app"),
            (#"{"apps":[{"app_id":"A.b","environments":[]}]}"#, "the environments of 'A.b'"),
            (#"{"apps":[{"app_id":"A.b","environments":"production"}]}"#, "the environments of 'A.b'"),
            (#"{"apps":[{"app_id":"A.b","environments":["staging"]}]}"#, "the environments of 'A.b'"),
            (#"{"apps":[{"app_id":"A.b","environment":["production"]}]}"#, "it knows app_id and environments"),
            (#"{"apps":[{"app_id":"A.b"},{"app_id":"A.b"}]}"#, "'A.b' is there twice"),
        ]
    )
    func invalid(body: String, complaint: String) async throws {
        let harness = try await Harness.gated(.monitor)
        let answer = try await harness.put(body, at: 0)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
        #expect(answer.json?["detail"]?.string?.contains(complaint) == true, "\(answer.text)")
        #expect(harness.policies.inForce.source == .file)
    }

    @Test("refuses to enforce with nothing to accept, and says where")
    func nothingToAccept() async throws {
        let harness = try await Harness.gated(.monitor, apps: [])
        let refused = try await harness.put(#"{"routes":{"app":"enforce"}}"#, at: 0)
        #expect(refused.status == 409)
        #expect(refused.code == "conflict")
        #expect(refused.json?["detail"]?.string?.contains("'app'") == true)
        let both = try await harness.put(#"{"routes":{"app":"enforce"},"apps":[\#(Self.app)]}"#, at: 0)
        #expect(both.status == 200)
        #expect(try await harness.put(#"{"apps":[]}"#, at: 1).status == 409)
    }

    @Test("goes back to the file's")
    func reset() async throws {
        let harness = try await Harness.gated(.monitor)
        _ = try await harness.put(#"{"routes":{"app":"enforce"},"apps":[\#(Self.app)]}"#, at: 0)
        let answer = try await harness.request("DELETE /v1/device-policy", ["If-Match: \"1\""], on: .admin)
        #expect(answer.status == 200)
        #expect(answer.header("ETag") == "\"2\"")
        #expect(answer.json?["source"] == "file")
        #expect(answer.json?["routes"] == ["app": "monitor"])
        #expect(answer.json?["apps"]?.array?.first?["app_id"] == "TEAMID.com.example.file")
    }

    @Test("writes down who changed what, and who tried in vain")
    func audit() async throws {
        let harness = try await Harness.gated(.monitor)
        _ = try await harness.put(#"{"routes":{"app":"enforce"},"apps":[\#(Self.app)]}"#, at: 0)
        _ = try await harness.put(#"{"routes":{"app":"off"}}"#, at: 0)
        _ = try await harness.put(#"{"apps":[]}"#, at: 1)
        _ = try await harness.request("DELETE /v1/device-policy", ["If-Match: \"1\""], on: .admin)
        let actor = AuditEvent.Actor(uid: geteuid(), pid: getpid())
        let change = "app enforce; apps: TEAMID.com.example.app (production)"
        #expect(
            harness.recorded.events == [
                AuditEvent(.operation, "policy set", detail: "\(change); revision 1", by: actor),
                AuditEvent(.operation, "policy set", outcome: "precondition_failed", detail: "app off", by: actor),
                AuditEvent(.operation, "policy set", outcome: "conflict", detail: "apps: none", by: actor),
                AuditEvent(.operation, "policy reset", detail: "to the file's; revision 2", by: actor),
            ]
        )
        let actions = harness.log.records.filter { $0.message == "Operator action" }.map { $0.metadata[.action] }
        #expect(actions == [.string("policy set"), "policy set", "policy set", "policy reset"])
    }

    @Test("stays as it is where the store does not keep the change, and says why")
    func storeFails() async throws {
        let harness = try await Harness.gated(.monitor)
        harness.store.fail(with: .full)
        let answer = try await harness.put(#"{"routes":{"app":"enforce"}}"#, at: 0)
        #expect(answer.status == 500)
        #expect(answer.code == "internal")
        #expect(answer.json?["detail"]?.string?.contains("made to fail") == true)
        #expect(harness.policies.mode(of: "app") == .monitor)
        #expect(harness.recorded.events.map(\.outcome) == ["internal"])
    }

    @Test("that is not known enforces, and keeps the broker from being ready until it is set")
    func unreadable() async throws {
        let harness = try await Harness.gated(.off, isLost: true)
        let policy = try await harness.request("GET /v1/device-policy", on: .admin)
        #expect(policy.json?["source"] == "unreadable")
        #expect(policy.json?["problem"]?.string?.contains("lost") == true)
        #expect(policy.json?["effective"]?["app"] == ["mode": "enforce", "file": "off", "stored": nil])
        #expect(policy.json?["apps"]?.array?.count == 1)
        let red = try await harness.request("GET /readyz", on: .admin)
        #expect(red.status == 503)
        #expect(red.json?["ready"] == false)
        #expect(red.json?["not_servable"] == [])
        #expect(red.json?["device_policy"]?.string?.contains("enforce") == true)
        let status = try await harness.request("GET /v1/status", on: .admin)
        #expect(status.json?["ready"] == false)
        let doubt = try #require(status.json?["device_policy"])
        #expect(doubt.string?.contains("enforce") == true)
        #expect(status.json?["warnings"] == .array([doubt]))
        let page = try await harness.request("GET /", on: .admin)
        #expect(page.text.contains("not ready"))
        let metrics = try await harness.metrics()
        #expect(metrics.value("tokenbroker_ready") == "0")
        #expect(metrics.value("tokenbroker_device_policy_unreadable") == "1")
        #expect(try await harness.request("DELETE /v1/device-policy", ["If-Match: \"0\""], on: .admin).status == 200)
        let green = try await harness.request("GET /readyz", on: .admin)
        #expect(green.status == 200)
        #expect(green.json == ["ready": true, "not_servable": []])
    }
}

extension Harness {
    /// With a route of this mode, an app in the configuration and a store for the policy, which was read.
    fileprivate static func gated(
        _ mode: DeviceMode,
        apps: [DeviceApp] = [DeviceApp(appID: "TEAMID.com.example.file")],
        isLost: Bool = false
    ) async throws -> Harness {
        let route = RouteDefinition(
            name: "app",
            token: "web",
            shape: .oauth2,
            expiryUnit: .seconds,
            minimum: .zero,
            wait: .seconds(5),
            devices: mode
        )
        let tokens = BrokerDefinition.account([.open("web")])
        let definition = BrokerDefinition(
            secrets: tokens.secrets,
            providers: tokens.providers,
            tokens: tokens.tokens,
            routes: ["app": route],
            devices: DeviceSettings(apps: apps)
        )
        let harness = try Harness(definition, operators: [AdminPrincipal(user: geteuid())], mayHaveLost: isLost)
        await harness.policies.read()
        return harness
    }

    fileprivate func put(_ body: String, at revision: Int) async throws -> Answer {
        try await request("PUT /v1/device-policy", ["If-Match: \"\(revision)\""], body: body, on: .admin)
    }
}
