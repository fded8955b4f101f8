import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("A route's device gate", .blocking)
struct DeviceGateTests {
    private func restart(_ site: DeviceSite, _ signal: Int32 = SIGTERM) throws -> BrokerProcess {
        site.broker.process.send(signal)
        _ = try site.broker.process.waitForEnd()
        return try BrokerProcess(site.scratch, site.settings.text)
    }

    private func reason(_ answer: Answer) -> String? {
        answer.status == 403 && answer.code == "device_attestation_failed" ? answer.text("reason") : "\(answer.status)"
    }

    @Test("refuses a bare request and serves a registered device")
    func serves() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let bare = try app.get(nil)
        #expect(bare.status == 401)
        #expect(bare.code == "device_attestation_required")
        let device = try app.registered()
        let answer = try app.get(app.proof(device))
        #expect(answer.status == 200)
        #expect(answer.text("access_token")?.hasPrefix("at_v1_") == true)
        #expect(answer.headers.first("x-device-verdict") == nil)
        #expect(try site.simulator.mints() == 1)
    }

    @Test("refuses a proof for anything but this very request, once")
    func bound() throws {
        let app = DeviceApp(try DeviceSite("devices: enforce, public_path: /api/token"))
        let device = try app.registered()
        let proof = try app.proof(device, "GET", "/api/token?v=1")
        #expect(try app.get(proof, query: "?v=1").status == 200)
        #expect(try reason(app.get(proof, query: "?v=1")) == "challenge_spent")
        #expect(try reason(app.get(app.proof(device, "GET", "/api/token?v=1"), query: "?v=2")) == "bad_signature")
        #expect(try reason(app.get(app.proof(device, "GET", "/api/token"), query: "?v=1")) == "bad_signature")
        #expect(try reason(app.get(app.proof(device, "POST", "/api/token"))) == "bad_signature")
        #expect(try reason(app.get(app.proof(device, "GET", "/routes/app"))) == "bad_signature")
        #expect(try app.get(app.proof(device, "GET", "/api/token")).status == 200)
    }

    @Test("refuses a proof for another body")
    func body() throws {
        let site = try DeviceSite("devices: enforce, public_path: /api/token")
        let app = DeviceApp(site)
        let device = try app.registered()
        let token = try #require(try app.get(app.proof(device, "GET", "/api/token")).text("access_token"))
        let body: JSONValue = ["access_token": .string(token)]
        let text = String(decoding: body.serialized(), as: UTF8.self)
        let wrong = try app.proof(device, "POST", "/api/token/rejected", body: text + " ")
        #expect(try reason(app.post("rejected", body, headers: [("X-Device-Proof", wrong)])) == "bad_signature")
        let right = try app.proof(device, "POST", "/api/token/rejected", body: text)
        let answer = try app.post("rejected", body, headers: [("X-Device-Proof", right)])
        #expect(answer.status == 200)
        #expect(answer.text("access_token") != token)
    }

    @Test("refuses a counter that does not rise")
    func counter() throws {
        let app = DeviceApp(try DeviceSite())
        let device = try app.registered()
        #expect(try app.get(app.proof(device, counter: 5)).status == 200)
        for counter in [5, 4] as [Int64] {
            #expect(try reason(app.get(app.proof(device, counter: counter))) == "counter_not_greater")
        }
        #expect(try app.get(app.proof(device, counter: 6)).status == 200)
    }

    @Test("serves one of many requests that race with one counter")
    func race() throws {
        let app = DeviceApp(try DeviceSite())
        let device = try app.registered()
        let proofs = try (0..<16).map { _ in try app.proof(device, counter: 9) }
        let connections = try proofs.map { _ in try app.broker.connect() }
        for (connection, proof) in zip(connections, proofs) {
            let fields = [try HeaderField("X-Device-Proof", proof)]
            try connection.send(HTTPClientRequest(.get, "/routes/app", host: "localhost", headers: fields, body: []))
        }
        let statuses = try connections.map { try $0.receive().status }
        #expect(statuses.count { $0 == 200 } == 1)
        #expect(statuses.count { $0 == 403 } == 15)
    }

    @Test("verifies on a thread of its own")
    func thread() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let device = try app.registered()
        let before = try site.broker.waits(ofThread: "devices")
        for _ in 0..<2 { #expect(try app.get(app.proof(device)).status == 200) }
        #expect(try site.broker.waits(ofThread: "devices") > before)
    }

    @Test("registers nobody but the apps and environments that are accepted, with a key of the root")
    func strangers() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        #expect(try reason(app.register(["app_id": "OTHER.com.example.app"]).answer) == "app_id_mismatch")
        #expect(try reason(app.register(["environment": "development"]).answer) == "environment_mismatch")
        // Apple's root does not know a simulated device.
        try site.broker.rewrite(site.settings.text.replacing("root_ca_file: \(site.simulator.deviceRoot)", with: ""))
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try reason(app.register().answer) == "untrusted_chain")
    }

    @Test("keeps devices and their counters over a restart, and no challenge", arguments: [SIGTERM, SIGKILL])
    func restarted(_ signal: Int32) throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let device = try app.registered()
        #expect(try app.get(app.proof(device, counter: 41)).status == 200)
        let old = try app.proof(device, counter: 42)
        let next = DeviceApp(site, on: try restart(site, signal))
        #expect(try reason(next.get(old)) == "challenge_unknown")
        #expect(try reason(next.get(next.proof(device, counter: 41))) == "counter_not_greater")
        #expect(try next.get(next.proof(device, counter: 42)).status == 200)
        let devices = try next.broker.admin(.get, "/v1/devices").json["devices"]?.array
        #expect(devices?.map { $0["counter"]?.number?.int64 } == [42])
    }

    @Test("refuses a revoked device at once, and after a restart")
    func revoked() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let device = try app.registered()
        let proof = try app.proof(device)
        let answer = try site.broker.admin(.delete, "/v1/devices/\(device.id)")
        #expect(answer.json == ["device_id": .string(device.id), "revoked": true, "stored": true])
        #expect(try reason(app.get(proof)) == "unknown_device")
        let next = DeviceApp(site, on: try restart(site, SIGKILL))
        #expect(try reason(next.get(next.proof(device))) == "unknown_device")
        // It registers anew, and is another device.
        let anew = try next.registered()
        #expect(anew.id != device.id)
        #expect(try next.get(next.proof(anew)).status == 200)
    }

    @Test("serves everybody while it monitors, and says what it saw")
    func monitor() throws {
        let app = DeviceApp(try DeviceSite("devices: monitor"))
        let device = try app.registered()
        let proof = try app.proof(device)
        for (proof, verdict) in [(nil, "missing"), (proof, "verified"), (proof, "failed")] {
            let answer = try app.get(proof)
            #expect(answer.status == 200)
            #expect(answer.headers.first("x-device-verdict") == verdict)
        }
    }

    @Test("takes the device for the end user, and nothing that the request says")
    func endUser() throws {
        let site = try DeviceSite { settings, simulator in
            // The routes are the last section so far.
            settings.extra.append("  user: { token: user, shape: roadie, end_user_from: device, devices: enforce }")
            settings.addAccount(
                secret: "roadie: { file: \(try settings.scratch.write("roadie", Demo.roadieKey)) }",
                provider: "roadie: { kind: roadie, secret: roadie, base_url: \(simulator.address(of: "roadie")) }",
                token: "user: { provider: roadie, end_user: per-request, allow: [{ user: \(geteuid()) }] }"
            )
        }
        var app = DeviceApp(site)
        app.route = "user"
        let (ann, bob) = (try app.registered(), try app.registered())
        let answer = try app.get(app.proof(ann), headers: [("X-User", bob.id)])
        #expect(answer.text("end_user_id") == ann.id)
        #expect(try app.get(app.proof(bob)).text("end_user_id") == bob.id)
        #expect(try app.get(nil).status == 401)
    }

    @Test("limits challenges by the address that the proxy has added, and serves others meanwhile")
    func limits() throws {
        let proxy = "client_address_header: X-Forwarded-For, trusted_proxies: [{ user: \(geteuid()) }]"
        let app = DeviceApp(try DeviceSite(devices: proxy))
        let device = try app.registered()
        var statuses: [Int] = []
        let connection = try app.broker.connect()
        for index in 0..<100 {
            let answer = try connection.exchange(
                .post,
                "/routes/app/attest/challenge",
                headers: [("X-Forwarded-For", "198.51.100.\(index), 192.0.2.1")]
            )
            statuses.append(answer.status)
            if answer.status == 429 { #expect(answer.code == "too_many_requests") }
        }
        #expect(statuses.prefix(60).allSatisfy { $0 == 200 })
        #expect(statuses.contains(429))
        let challenge = try app.challenge([("X-Forwarded-For", "192.0.2.1, 192.0.2.2")])
        #expect(try app.get(app.proof(device, challenge: challenge)).status == 200)
    }

    @Test("costs nothing that lasts in a flood, and slows down nobody")
    func flood() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let device = try app.registered()
        #expect(try app.get(app.proof(device)).status == 200)
        let before = try site.broker.residentBytes
        let connection = try app.broker.connect()
        var refused = 0
        for _ in 0..<20_000 {
            if try connection.exchange(.post, "/routes/app/attest/challenge").status == 429 { refused += 1 }
        }
        #expect(refused > 0)
        #expect(try site.broker.fetch("web").status == 200)
        #expect(try site.broker.residentBytes < before + 16 * 1024 * 1024)
    }

    @Test("is seen and worked with by operators alone, with the tool")
    func operators() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let device = try app.registered()
        func tool(_ arguments: String...) throws -> (ending: Int32, output: String) {
            let socket = ["--socket", site.broker.adminSocket]
            let process = try RunningProcess("tokenbroker", ["device"] + arguments + socket)
            return (try process.waitForEnd(), process.output.text)
        }
        let listed = try tool("list")
        #expect(listed.output.contains(device.id))
        #expect(listed.output.contains(DeviceSite.app))
        #expect(try tool("revoke", device.id).ending == 0)
        #expect(try tool("revoke", device.id).ending == 1)
        #expect(try reason(app.get(app.proof(device))) == "unknown_device")
    }

    @Test("writes nothing of a device's into the log but its reason")
    func log() throws {
        let site = try DeviceSite()
        let app = DeviceApp(site)
        let device = try app.registered()
        let proof = try app.proof(device)
        #expect(try app.get(proof).status == 200)
        #expect(try reason(app.get(proof)) == "challenge_spent")
        try site.broker.log.line(with: "challenge_spent")
        for part in proof.split(separator: ".").dropFirst(2) { #expect(!site.broker.log.text.contains(part)) }
        #expect(!site.broker.log.text.contains(device.keyID))
    }
}
