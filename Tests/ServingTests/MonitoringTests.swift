import Glibc
import JSON
import TestSupport
import Testing
import TokenBroker

@testable import Serving

/// A gate that monitors refuses nothing: it says and records what `enforce` would have done, and the request is served.
@Suite("Routes whose devices are monitored", .blocking)
struct MonitoringTests {
    private func site(_ mode: DeviceMode = .monitor, isMinted: Bool = true) async throws -> Harness {
        let devices = DeviceSettings(apps: [DeviceApp(appID: FakeVerification.appID)])
        let harness = try Harness(
            .account([.open("web")], routes: [.route(.oauth2, wait: .seconds(30), devices: mode)], devices: devices),
            operators: [AdminPrincipal(user: geteuid())]
        )
        await harness.policies.read()
        if isMinted { harness.provider.give(.token("first")) }
        return harness
    }

    /// What enforce would have turned requests away for, as it is written down.
    private func reasons(_ harness: Harness) -> [String] {
        harness.recorded.events.filter { $0.action == "device proof" }.map(\.outcome)
    }

    /// What that is written down as.
    private func kinds(_ harness: Harness) -> [AuditEvent.Kind] {
        harness.recorded.events.filter { $0.action == "device proof" }.map(\.kind)
    }

    private func expectServed(_ answer: Answer, _ verdict: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 200, sourceLocation: location)
        #expect(answer.json?["access_token"] == "first", sourceLocation: location)
        #expect(answer.header("X-Device-Verdict") == verdict, sourceLocation: location)
    }

    private func expectCounts(
        _ harness: Harness,
        verified: Int = 0,
        missing: Int = 0,
        failed: Int = 0,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let metrics = try await harness.metrics()
        for (verdict, count) in [("verified", verified), ("missing", missing), ("failed", failed)] {
            let value = metrics.value("tokenbroker_device_verdicts_total", ["route": "app", "verdict": verdict])
            #expect(value == "\(count)", "\(verdict)", sourceLocation: location)
        }
    }

    @Test("serve who proves itself, and say so")
    func verified() async throws {
        let harness = try await site()
        let proof = try await harness.proof(harness.register(), 1)
        expectServed(try await harness.request("GET /routes/app", [proof]), "verified")
        #expect(reasons(harness) == [])
        try await expectCounts(harness, verified: 1)
    }

    @Test("serve who has no proof")
    func missing() async throws {
        let harness = try await site()
        expectServed(try await harness.request("GET /routes/app"), "missing")
        #expect(reasons(harness) == ["proof_missing"])
        #expect(kinds(harness) == [.monitored])
        try await expectCounts(harness, missing: 1)
    }

    @Test(
        "serve whatever is there as a proof",
        arguments: [
            ("", "malformed_proof"), ("v1", "malformed_proof"), ("v1.dev_x.A.AA", "malformed_proof"),
            ("v1.dev_x.AA.AA\r\nX-Device-Proof: v1.dev_x.AA.AA", "malformed_proof"), ("\u{FF}", "malformed_proof"),
            ("v1.dev_x..AA", "challenge_unknown"), ("v1.dev_x.AA.AA", "challenge_unknown"),
        ]
    )
    func unreadable(_ proof: String, _ reason: String) async throws {
        let harness = try await site()
        expectServed(try await harness.request("GET /routes/app", ["X-Device-Proof: \(proof)"]), "failed")
        #expect(reasons(harness) == [reason])
        #expect(kinds(harness) == [.monitored])
        try await expectCounts(harness, failed: 1)
    }

    @Test("serve a proof that was seen, is old, is another request's, or whose counter or device is none any more")
    func failed() async throws {
        let harness = try await site()
        let device = try await harness.register()
        let seen = try await harness.proof(device, 5)
        expectServed(try await harness.request("GET /routes/app", [seen]), "verified")
        let outpaced = try await harness.proof(device, 5)
        let foreign = try await harness.proof(device, 6, "POST")
        let unknown = try await harness.proof("dev_none", 1)
        for proof in [seen, outpaced, foreign, unknown] {
            expectServed(try await harness.request("GET /routes/app", [proof]), "failed")
        }
        let old = try await harness.proof(device, 7)
        await harness.advance(by: .seconds(300))
        expectServed(try await harness.request("GET /routes/app", [old]), "failed")
        let policy = DevicePolicy(apps: [DeviceApp(appID: "TEAM.other")])
        _ = try await harness.policies.set(policy, at: 0)
        expectServed(try await harness.request("GET /routes/app", [harness.proof(device, 8)]), "failed")
        #expect(
            reasons(harness) == [
                "challenge_spent", "counter_not_greater", "bad_signature", "unknown_device", "challenge_expired",
                "app_id_mismatch",
            ]
        )
        #expect(Set(kinds(harness)) == [.monitored])
        try await expectCounts(harness, verified: 1, failed: 6)
    }

    /// Has as many verifications wait as may.
    private func fillQueue(_ harness: Harness) {
        harness.verifications.hold()
        let proof = DeviceProof(device: DeviceID("dev_x"), challenge: [], assertion: [], clientData: [])
        while harness.gate.check(proof, on: "app", in: .enforce, by: nil, { _ in }) {}
    }

    @Test("serve where too many wait to be verified, which enforce refuses")
    func busy() async throws {
        let harness = try await site()
        let proof = try await harness.proof(harness.register(), 1)
        fillQueue(harness)
        expectServed(try await harness.request("GET /routes/app", [proof]), "failed")
        #expect(reasons(harness) == ["verification_busy"])
        try await expectCounts(harness, failed: 1)
        _ = try await harness.policies.set(DevicePolicy(modes: ["app": .enforce]), at: 0)
        let refused = try await harness.request("GET /routes/app", [proof])
        #expect(refused.status == 429)
        #expect(refused.code == "too_many_requests")
        #expect(reasons(harness) == ["verification_busy", "verification_busy"])
        #expect(kinds(harness) == [.monitored, .denial])
        try await expectCounts(harness, failed: 2)
    }

    /// Sends a request whose verification does not come to its end.
    private func sendUnverified(_ harness: Harness) async throws -> Client {
        let proof = try await harness.proof(harness.register(), 1)
        harness.verifications.hold()
        let client = try harness.connect()
        client.send(message("GET /routes/app", [proof]))
        await harness.settle()
        return client
    }

    @Test("serve where the verification takes too long, after a second")
    func late() async throws {
        let harness = try await site()
        let client = try await sendUnverified(harness)
        #expect(reasons(harness) == [])
        await harness.advance(by: .milliseconds(1100))
        expectServed(try await harness.answer(on: client), "failed")
        #expect(reasons(harness) == ["verification_late"])
        // What comes of it now changes nothing.
        harness.verifications.release()
        await harness.settle()
        expectServed(try await harness.exchange(client, "GET /routes/app"), "missing")
        try await expectCounts(harness, missing: 1, failed: 1)
    }

    @Test("are not confused by a verification that comes while the token is waited for")
    func lateWhileMinting() async throws {
        let harness = try await site(isMinted: false)
        let client = try await sendUnverified(harness)
        await harness.advance(by: .milliseconds(1100))
        try await harness.until { harness.waiters == 1 }
        harness.verifications.release()
        await harness.settle()
        #expect(harness.waiters == 1)
        harness.provider.give(.token("first"))
        expectServed(try await harness.answer(on: client), "failed")
        try await expectCounts(harness, failed: 1)
    }

    @Test("refuse once they enforce, where the verification takes too long")
    func lateEnforced() async throws {
        let harness = try await site(.enforce)
        let client = try await sendUnverified(harness)
        await harness.advance(by: .seconds(9))
        client.receive()
        #expect(client.takeAnswer() == nil)
        await harness.advance(by: .seconds(2))
        let refused = try await harness.answer(on: client)
        #expect(refused.status == 503)
        #expect(refused.code == "deadline_exceeded")
        #expect(reasons(harness) == ["verification_late"])
        try await expectCounts(harness, failed: 1)
    }
}
