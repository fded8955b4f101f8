import Digests
import Testing
import TokenBroker

@testable import DeviceAttestation

/// The gate with real signatures: what it has verified and what it makes of the verdicts.
@Suite("The gate on generated objects")
struct GateTests {
    private struct Clock: HostClock {
        func now() -> Moment { Moment(boot: BootInstant(nanoseconds: 0), wall: AttestationRecipe.instant) }
    }

    private struct Policy: DevicePolicySource {
        let apps = [DeviceApp(appID: AttestationRecipe.appID)]
        func mode(of route: Name) -> DeviceMode { .enforce }
    }

    private struct NoAudit: AuditLog {
        func record(_ event: AuditEvent) {}
    }

    private let gate = DeviceGate(
        DeviceGate.Ports(
            policy: Policy(),
            store: nil,
            clock: Clock(),
            audit: NoAudit(),
            randomBytes: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
            authenticationCode: { HMACSHA256.code(for: $0, key: $1) },
            perform: { $0() }
        ),
        verification: AttestationRecipe.verifier
    )

    private func register(_ change: (inout AttestationRecipe) -> Void = { _ in }) async -> DeviceGate.Answer {
        let challenge = gate.challenge(for: "app")
        var recipe = AttestationRecipe()
        recipe.clientDataHash = SHA256.digest(of: challenge)
        change(&recipe)
        let registration = DeviceRegistration(
            challenge: challenge,
            keyID: SHA256.digest(of: AttestationRecipe.deviceKey.point),
            attestation: recipe.made()
        )
        return await withCheckedContinuation { continuation in
            _ = gate.register(registration, on: "app", by: nil) { continuation.resume(returning: $0) }
        }
    }

    private func check(_ device: DeviceID, _ counter: UInt32, signed: String = "GET") async -> DeviceGate.Answer {
        let challenge = gate.challenge(for: "app")
        func clientData(_ method: String) -> [UInt8] {
            DeviceProof.clientData(
                route: "app",
                method: method,
                target: Array("/routes/app".utf8),
                bodyDigest: Base64.urlSafeText(SHA256.digest(of: [])),
                challenge: Base64.urlSafeText(challenge)
            )
        }
        var recipe = AssertionTests.Recipe()
        recipe.counter = counter
        recipe.clientData = clientData(signed)
        let proof = DeviceProof(
            device: device,
            challenge: challenge,
            assertion: recipe.made(),
            clientData: clientData("GET")
        )
        return await withCheckedContinuation { continuation in
            _ = gate.check(proof, on: "app", in: .enforce, by: nil) { continuation.resume(returning: $0) }
        }
    }

    private func reason(_ answer: DeviceGate.Answer) -> String? {
        if case .failure(let rejection) = answer { rejection.reason } else { nil }
    }

    @Test("registers a device and takes what it signs, with a counter that rises")
    func passes() async throws {
        let device = try await register().get()
        #expect(try await check(device, 1).get() == device)
        #expect(reason(await check(device, 1)) == "counter_not_greater")
        #expect(reason(await check(device, 2, signed: "POST")) == "bad_signature")
        #expect(try await check(device, 2).get() == device)
    }

    @Test("registers nothing that was attested for another challenge or another app")
    func refused() async {
        #expect(reason(await register { $0.clientDataHash = SHA256.digest(of: [1]) }) == "nonce_mismatch")
        #expect(reason(await register { $0.appID += "2" }) == "app_id_mismatch")
        #expect(reason(await register { $0.object = { _ in [] } }) == "malformed_attestation")
    }

    @Test("says what a device signs for a request line by line")
    func clientData() {
        let data = DeviceProof.clientData(
            route: "ac-token",
            method: "POST",
            target: Array("/api/t/rejected?a=1".utf8),
            bodyDigest: "hash",
            challenge: "abc"
        )
        #expect(
            String(decoding: data, as: UTF8.self)
                == "tokenbroker-request-v1\nac-token\nPOST\n/api/t/rejected?a=1\nhash\nabc"
        )
    }
}
