import Digests
import Glibc
import HTTPWire
import JSON
import Logging
import TestSupport
import Testing
import TokenBroker

@testable import Serving

@Suite("Routes with a device gate", .blocking)
struct DeviceRouteTests {
    private func site(
        _ mode: DeviceMode = .enforce,
        credential: CredentialForm = CredentialForm(),
        user: RouteDefinition.UserSource? = nil,
        publicPath: String? = nil,
        wait: Duration = .seconds(5),
        isMinted: Bool = true,
        clientAddress: ClientAddressSource? = nil
    ) async throws -> Harness {
        let route = RouteDefinition(
            name: "app",
            token: "web",
            shape: .roadie,
            expiryUnit: .rfc3339,
            minimum: .zero,
            wait: wait,
            userSource: user,
            publicPath: publicPath,
            devices: mode
        )
        let devices = DeviceSettings(apps: [DeviceApp(appID: FakeVerification.appID)], clientAddress: clientAddress)
        let harness = try Harness(.account([.open("web", credential)], routes: [route], devices: devices))
        await harness.policies.read()
        if isMinted { harness.provider.give(.token("first")) }
        return harness
    }

    // MARK: Coming to be known

    @Test("give out challenges, each another, that are good for five minutes")
    func challenge() async throws {
        let harness = try await site()
        let first = try await harness.request("POST /routes/app/attest/challenge")
        #expect(first.status == 200)
        #expect(first.json?["expires_in"] == 300)
        #expect(first.header("Cache-Control") == "no-store")
        let text = try #require(first.json?["challenge"]?.string)
        #expect(Base64.urlSafeBytes(text)?.count == 40)
        #expect(try await harness.challenge() != text)
    }

    @Test("register a device for a challenge, and serve it")
    func register() async throws {
        let harness = try await site()
        let device = try await harness.register()
        #expect(device.hasPrefix("dev_"))
        let answer = try await harness.request("GET /routes/app", [harness.proof(device, 1)])
        #expect(answer.status == 200)
        #expect(answer.json?["token"] == "first")
        #expect(answer.header("X-Device-Verdict") == nil)
    }

    @Test("take a key's name in base64 of either alphabet, with padding or without")
    func keyIDs() async throws {
        let harness = try await site()
        let key = [UInt8](repeating: 0xFB, count: 32)
        let padded = Base64.text(key)
        let attestation = Base64.urlSafeText(FakeVerification.attestation())
        var devices: Set<String> = []
        for text in [padded, Base64.urlSafeText(key), Base64.urlSafeText(key) + "=", String(padded.dropLast())] {
            let challenge = try await harness.challenge()
            let body = #"{"key_id":"\#(text)","attestation":"\#(attestation)","challenge":"\#(challenge)"}"#
            let answer = try await harness.request("POST /routes/app/attest/register", body: body)
            devices.insert(try #require(answer.json?["device_id"]?.string))
        }
        #expect(devices.count == 1)
    }

    @Test("refuse a registration that proves nothing, and spend its challenge", arguments: [("", ""), ("?", "AA")])
    func refusedRegistration(_ attestation: String, _ keyID: String) async throws {
        let harness = try await site()
        let challenge = try await harness.challenge()
        let body = #"{"key_id":"\#(keyID)","attestation":"\#(attestation)","challenge":"\#(challenge)"}"#
        let answer = try await harness.request("POST /routes/app/attest/register", body: body)
        #expect(answer.status == 403)
        #expect(answer.code == "device_attestation_failed")
        #expect(answer.json?["reason"] == "untrusted_chain")
        let again = try await harness.request("POST /routes/app/attest/register", body: body)
        #expect(again.json?["reason"] == "challenge_spent")
    }

    @Test(
        "call a registration malformed that does not say what it has to",
        arguments: ["", "[]", "{}", #"{"key_id":"AA==","attestation":"AA==","challenge":1}"#, #"{"x":1}"#]
    )
    func malformed(_ body: String) async throws {
        let answer = try await site().request("POST /routes/app/attest/register", body: body)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_request")
    }

    @Test("have no such paths for peers whom they do not admit, without a gate, and for other methods")
    func paths() async throws {
        let closed = try Harness(.account([.closed("web")], routes: [.route(devices: .enforce)]))
        #expect(try await closed.request("POST /routes/app/attest/challenge").code == "unknown_token")
        #expect(try await closed.request("POST /routes/none/attest/challenge").code == "unknown_token")
        let open = try await site(.off)
        #expect(try await open.request("POST /routes/app/attest/challenge").code == "not_found")
        #expect(try await open.request("POST /routes/app/attest/register", body: "{}").code == "not_found")
        #expect(try await site().request("GET /routes/app/attest/challenge").status == 405)
    }

    // MARK: Proofs

    @Test("refuse a request without a proof, with a reason")
    func required() async throws {
        let harness = try await site()
        let answer = try await harness.request("GET /routes/app")
        #expect(answer.status == 401)
        #expect(answer.code == "device_attestation_required")
        #expect(answer.json?["reason"] == "proof_missing")
        #expect(answer.header("WWW-Authenticate") == "DeviceProof")
        #expect(harness.provider.started == 0)
        #expect(harness.recorded.events.contains { $0.outcome == "proof_missing" })
    }

    @Test(
        "refuse what is no proof",
        arguments: ["", "v1", "v2.dev_x.AA.AA", "v1.dev_x.AA", "v1.dev_x.AA.AA.AA", "v1.dev_x.A.AA"]
    )
    func malformedProof(_ text: String) async throws {
        let answer = try await site().request("GET /routes/app", ["X-Device-Proof: \(text)"])
        #expect(answer.status == 403)
        #expect(answer.json?["reason"] == "malformed_proof")
    }

    @Test("spend the challenge of a proof whose assertion cannot be read")
    func unreadableAssertion() async throws {
        let harness = try await site()
        let proof = try await "X-Device-Proof: v1.dev_x.\(harness.challenge()).A="
        #expect(try await harness.request("GET /routes/app", [proof]).json?["reason"] == "unknown_device")
        #expect(try await harness.request("GET /routes/app", [proof]).json?["reason"] == "challenge_spent")
    }

    @Test("refuse two proofs")
    func twoProofs() async throws {
        let harness = try await site()
        let device = try await harness.register()
        let proofs = [try await harness.proof(device, 1), try await harness.proof(device, 2)]
        #expect(try await harness.request("GET /routes/app", proofs).json?["reason"] == "malformed_proof")
    }

    @Test("refuse a proof that was seen, and one of an unknown device")
    func replay() async throws {
        let harness = try await site()
        let proof = try await harness.proof(harness.register(), 1)
        #expect(try await harness.request("GET /routes/app", [proof]).status == 200)
        #expect(try await harness.request("GET /routes/app", [proof]).json?["reason"] == "challenge_spent")
        let unknown = try await harness.request("GET /routes/app", [harness.proof("dev_none", 1)])
        #expect(unknown.status == 403)
        #expect(unknown.json?["reason"] == "unknown_device")
    }

    @Test(
        "refuse a proof for another request",
        arguments: [
            ("HEAD", "/routes/app", "", "app"), ("GET", "/routes/app?a=1", "", "app"),
            ("GET", "/routes/app", "x", "app"),
            ("GET", "/routes/other", "", "app"), ("GET", "/routes/app", "", "other"),
        ]
    )
    func otherRequest(_ method: String, _ target: String, _ body: String, _ route: Name) async throws {
        let harness = try await site()
        let device = try await harness.register()
        let proof = try await harness.proof(device, 1, method, target, body: body, route: route)
        #expect(try await harness.request("GET /routes/app", [proof]).json?["reason"] == "bad_signature")
        // The same device is served with the right one.
        #expect(try await harness.request("GET /routes/app", [harness.proof(device, 2)]).status == 200)
    }

    @Test(
        "take a proof over the path that the app had, with the query as it came",
        arguments: [
            ("/api/t", "GET /routes/app", "/api/t"), ("/api/t", "GET /routes/app?", "/api/t?"),
            ("/api/t", "GET /routes/app?b=2&a=%31", "/api/t?b=2&a=%31"), (nil, "GET /routes/app?x", "/routes/app?x"),
        ] as [(String?, String, String)]
    )
    func publicPath(_ path: String?, _ line: String, _ target: String) async throws {
        let harness = try await site(publicPath: path)
        let proof = try await harness.proof(harness.register(), 1, "GET", target)
        #expect(try await harness.request(line, [proof]).status == 200)
    }

    @Test("ask for a proof over the body of a rejection", arguments: [nil, "/api/t"] as [String?])
    func rejected(_ path: String?) async throws {
        let harness = try await site(publicPath: path)
        let device = try await harness.register()
        #expect(try await harness.request("GET /routes/app", [harness.proof(device, 1, target: path)]).status == 200)
        harness.provider.give(.token("second"))
        let body = #"{"access_token":"first"}"#
        let bare = try await harness.request("POST /routes/app/rejected", body: body)
        #expect(bare.code == "device_attestation_required")
        let target = (path ?? "/routes/app") + "/rejected"
        let wrong = try await harness.proof(device, 2, "POST", target, body: #"{"access_token":"other"}"#)
        #expect(try await harness.request("POST /routes/app/rejected", [wrong], body: body).status == 403)
        let right = try await harness.proof(device, 3, "POST", target, body: body)
        let answer = try await harness.request("POST /routes/app/rejected", [right], body: body)
        #expect(answer.json?["token"] == "second")
    }

    @Test("wait for the token after the device was verified, as long as the route says")
    func waits() async throws {
        let harness = try await site(wait: .seconds(2), isMinted: false)
        let proof = try await harness.proof(harness.register(), 1)
        let client = try harness.connect()
        client.send(message("GET /routes/app", [proof]))
        try await harness.until { harness.waiters == 1 }
        await harness.advance(by: .milliseconds(2100))
        #expect(try await harness.answer(on: client).code == "deadline_exceeded")
        // The connection goes on with its next request.
        harness.provider.give(.token("late"))
        let next = try await harness.exchange(client, "GET /routes/app", [harness.proof("dev_none", 1)])
        #expect(next.json?["reason"] == "unknown_device")
    }

    @Test("look the grants up again where a reload came while the device was verified")
    func reloaded() async throws {
        let harness = try await site()
        let proof = try await harness.proof(harness.register(), 1)
        harness.verifications.hold()
        let client = try harness.connect()
        client.send(message("GET /routes/app", [proof]))
        await harness.settle()
        let devices = DeviceSettings(apps: [DeviceApp(appID: FakeVerification.appID)])
        harness.take(.account([.closed("web")], routes: [.route(devices: .enforce)], devices: devices))
        harness.verifications.release()
        #expect(try await harness.answer(on: client).code == "unknown_token")
        #expect(harness.provider.started == 0)
    }

    // MARK: Modes

    @Test("do not look at a proof while they are off")
    func off() async throws {
        let harness = try await site(.off)
        let answer = try await harness.request("GET /routes/app", ["X-Device-Proof: x"])
        #expect(answer.status == 200)
        #expect(answer.header("X-Device-Verdict") == nil)
    }

    @Test("follow the policy from the next request on")
    func change() async throws {
        let harness = try await site(.monitor)
        #expect(try await harness.request("GET /routes/app").status == 200)
        let policy = DevicePolicy(modes: ["app": .enforce])
        _ = try await harness.policies.set(policy, at: harness.policies.inForce.revision)
        #expect(try await harness.request("GET /routes/app").status == 401)
    }

    @Test("take the device for the end user, and nobody without one", arguments: [DeviceMode.monitor, .enforce])
    func endUser(_ mode: DeviceMode) async throws {
        let harness = try await site(mode, credential: CredentialForm(user: .endUser), user: .device)
        let device = try await harness.register()
        let proof = try await harness.proof(device, 1)
        let answer = try await harness.request("GET /routes/app", [proof])
        #expect(answer.json?["end_user_id"] == .string(device))
        #expect(try await harness.request("GET /routes/app").status == 401)
        #expect(harness.provider.started == 1)
    }

    // MARK: Limits

    private var proxy: ClientAddressSource {
        ClientAddressSource(header: "X-Forwarded-For", trustedProxies: [AdminPrincipal(user: geteuid())])
    }

    @Test("limit the challenges of each address, by the one that the proxy has added")
    func limitedChallenges() async throws {
        let harness = try await site(clientAddress: proxy)
        let client = try harness.connect()
        func ask(_ addresses: String) async throws -> Answer {
            try await harness.exchange(client, "POST /routes/app/attest/challenge", ["X-Forwarded-For: \(addresses)"])
        }
        for index in 0..<60 { #expect(try await ask("203.0.113.\(index), 192.0.2.1").status == 200) }
        let refused = try await ask("203.0.113.99, 192.0.2.1")
        #expect(refused.status == 429)
        #expect(refused.code == "too_many_requests")
        #expect(refused.header("Retry-After") == "1")
        #expect(try await ask("192.0.2.1, 192.0.2.2").status == 200)
        await harness.advance(by: .seconds(1))
        #expect(try await ask("192.0.2.1").status == 200)
    }

    @Test("limit the registrations of each address")
    func limitedRegistrations() async throws {
        let harness = try await site(clientAddress: proxy)
        func ask(_ address: String) async throws -> Answer {
            try await harness.request("POST /routes/app/attest/register", ["X-Forwarded-For: \(address)"], body: "{}")
        }
        for _ in 0..<20 { #expect(try await ask("2001:db8::1").status == 400) }
        // One network is one client.
        #expect(try await ask("2001:db8::2").status == 429)
        #expect(try await ask("2001:db8:0:1::1").status == 400)
    }

    @Test("limit challenges in all, where nothing tells clients apart")
    func limitedInAll() async throws {
        let harness = try await site()
        let client = try harness.connect()
        var statuses: [Int] = []
        for _ in 0..<1001 {
            statuses.append(try await harness.exchange(client, "POST /routes/app/attest/challenge").status)
        }
        #expect(statuses.firstIndex(of: 429) == 1000)
    }

    // MARK: Operators

    @Test("show their devices to operators, who revoke them at once")
    func operators() async throws {
        let harness = try await site(.enforce)
        let device = try await harness.register()
        #expect(try await harness.request("GET /routes/app", [harness.proof(device, 5)]).status == 200)
        let path = "GET /v1/devices"
        guard geteuid() == 0 else { return }
        let listed = try await harness.request(path, on: .admin)
        let entry = listed.json?["devices"]?.array?.first
        #expect(entry?["device_id"] == .string(device))
        #expect(entry?["app_id"] == "TEAM.app")
        #expect(entry?["counter"] == 5)
        #expect(listed.json?["next"] == nil)
        let revoked = try await harness.request("DELETE /v1/devices/\(device)", on: .admin)
        #expect(revoked.json == ["device_id": .string(device), "revoked": true, "stored": false])
        #expect(try await harness.request("DELETE /v1/devices/\(device)", on: .admin).code == "not_found")
        let refused = try await harness.request("GET /routes/app", [harness.proof(device, 6)])
        #expect(refused.json?["reason"] == "unknown_device")
        #expect(try await harness.request(path, on: .admin).json == ["devices": []])
    }

    @Test("tell operators to ask again for a list that takes too long")
    func lateList() throws {
        let harness = try Harness()
        harness.verifications.hold()
        let surface = DeviceSurface(gate: harness.gate)
        let completion = Completion(server: harness.servers.admin, connection: ConnectionID(number: 0), request: 1)
        let outcome = surface.list(try parsed(message("GET /v1/devices")), completion)
        guard case .wait(let waiting) = outcome,
            case .reply(.response(let answer)) = waiting.onDeadline(completion)
        else {
            Issue.record("it did not wait")
            return
        }
        let document = try JSONValue(parsing: answer.body)
        #expect(document["code"] == "deadline_exceeded")
        #expect(document["detail"] == "the list is not ready yet; ask again")
    }
}

extension Harness {
    /// The text of a new challenge.
    func challenge() async throws -> String {
        let answer = try await request("POST /routes/app/attest/challenge")
        return try #require(answer.json?["challenge"]?.string)
    }

    /// Registers a device with a key of its own.
    func register() async throws -> String {
        let key = Base64.text((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let challenge = try await challenge()
        let attestation = Base64.text(FakeVerification.attestation())
        let body = #"{"key_id":"\#(key)","attestation":"\#(attestation)","challenge":"\#(challenge)"}"#
        let answer = try await request("POST /routes/app/attest/register", body: body)
        return try #require(answer.json?["device_id"]?.string)
    }

    /// The field with a proof over a request, for a new challenge.
    func proof(
        _ device: String,
        _ counter: UInt32,
        _ method: String = "GET",
        _ target: String? = nil,
        body: String = "",
        route: Name = "app"
    ) async throws -> String {
        try await proof(device, counter, method, target, body: body, route: route, challenge: challenge())
    }

    func proof(_ device: String, _ counter: UInt32, target: String?) async throws -> String {
        try await proof(device, counter, "GET", target)
    }

    func proof(
        _ device: String,
        _ counter: UInt32,
        _ method: String = "GET",
        _ target: String? = nil,
        body: String = "",
        route: Name = "app",
        challenge: String
    ) -> String {
        let clientData = DeviceProof.clientData(
            route: route,
            method: method,
            target: Array((target ?? "/routes/app").utf8),
            bodyDigest: Base64.urlSafeText(SHA256.digest(of: Array(body.utf8))),
            challenge: challenge
        )
        let assertion = Base64.urlSafeText(FakeVerification.assertion(counter, over: clientData))
        return "X-Device-Proof: v1.\(device).\(challenge).\(assertion)"
    }
}
