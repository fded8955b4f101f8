import Digests
import Testing
import TokenBroker
import Upstream

@testable import Providers

/// A relay whose worked values the documents of the protocol have.
private enum Relay {
    static let key = "sk-AbC123"
    static let nonce = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
    static let ids = ["bundle_id": "com.example.app", "device_id": "11111111-2222-3333-4444-555555555555"]
    static let time = Moment(
        boot: BootInstant(nanoseconds: 7_000_000_000),
        wall: WallInstant(milliseconds: 1_700_000_000_000)
    )
    static let models = #"{"object":"list","data":[],"success":true}"#

    static func provider(_ options: [String: String] = [:], sender: any HTTPSender) -> NewAPIProvider {
        let definition = ProviderDefinition(
            name: "chat",
            kind: "new-api",
            baseURL: "https://api.example.com",
            secret: "key",
            timeout: .seconds(10),
            options: Options(ids.merging(options) { $1 })
        )
        return NewAPIProvider(definition, .fake(sender)) { nonce }
    }

    static func request(isForced: Bool = false, key: String = key) -> MintRequest {
        let token = TokenDefinition(name: "chat", provider: "chat")
        return MintRequest(token: token, secret: Secret(key.utf8), isForced: isForced)
    }
}

@Suite("new-api: the headers of a request")
struct NewAPIHeaderTests {
    private func headers(
        _ options: [String: String] = [:],
        body: String = #"{"model":"gemini-3-flash"}"#,
        key: String = Relay.key
    ) throws(AuthorizationFault) -> [String] {
        let digest = SHA256.digest(of: Array(body.utf8))
        let request = AppRequest(method: "POST", bodyDigest: digest, at: Relay.time)
        return try Relay.provider(options, sender: FakeSender(500, ""))
            .headers(for: request, credential: TokenText(key)!, secret: nil)
            .lines
    }

    @Test("sign the worked example of the protocol as it does")
    func workedExample() throws {
        #expect(
            try headers() == [
                "Authorization: Bearer sk-AbC123", "X-Bundle-Id: com.example.app",
                "X-Device-Id: 11111111-2222-3333-4444-555555555555", "X-Timestamp: 1700000000",
                "X-Nonce: AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE",
                "X-Signature: D5xqFflqL6XhAhP0oi/WupziWkqO2PmrrZgFsAGcCjA=",
            ]
        )
    }

    // Computed apart from this code, from the same values.
    @Test(
        "follow the options",
        arguments: [
            (["key_text": "as-is", "timestamp": "seconds"], "D5xqFflqL6XhAhP0oi/WupziWkqO2PmrrZgFsAGcCjA="),
            (["key_text": "without-prefix"], "FW4FFQsDEydqad1ZWyWoW2w17f70yReglVwY6VFGzHk="),
            (["timestamp": "milliseconds"], "jskV9BMKZZ6iKFxISvvFkZY6ZpnGtp/asu0i40gn1r0="),
        ]
    )
    func options(_ options: [String: String], signature: String) throws {
        let headers = try headers(options)
        #expect(headers.last == "X-Signature: \(signature)")
        #expect(headers.first == "Authorization: Bearer sk-AbC123")
        let isMilliseconds = options["timestamp"] == "milliseconds"
        #expect(headers.contains("X-Timestamp: \(isMilliseconds ? "1700000000000" : "1700000000")"))
    }

    @Test("depend on the body")
    func body() throws {
        #expect(try headers(body: "").last != headers().last)
    }

    @Test("are not made without the body's digest")
    func noDigest() {
        let request = AppRequest(method: "GET", at: Relay.time)
        #expect(throws: AuthorizationFault.self) {
            try Relay.provider(sender: FakeSender(500, ""))
                .headers(for: request, credential: TokenText(Relay.key)!, secret: nil)
        }
    }

    @Test("have a nonce of their own each, a UUID in capitals")
    func nonces() throws {
        let definition = ProviderDefinition(
            name: "chat",
            kind: "new-api",
            baseURL: "https://api.example.com",
            secret: "key",
            timeout: .seconds(10),
            options: Options(Relay.ids)
        )
        let provider = NewAPIProvider(definition, .fake(FakeSender(500, "")))
        let request = AppRequest(method: "GET", bodyDigest: SHA256.digest(of: []), at: Relay.time)
        let nonces = try (0..<100).map { _ in
            let headers = try provider.headers(for: request, credential: TokenText(Relay.key)!, secret: nil)
            return try #require(headers.first { $0.name == "X-Nonce" }).value
        }
        #expect(Set(nonces).count == 100)
        for nonce in nonces {
            #expect(nonce.wholeMatch(of: /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/) != nil)
        }
    }

    @Test("have a nonce of the random bits, with every zero written")
    func nonceBits() {
        var zeros = Constant(bits: 0)
        #expect(Nonce.uuid(using: &zeros) == "00000000-0000-4000-8000-000000000000")
        var ones = Constant(bits: .max)
        #expect(Nonce.uuid(using: &ones) == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
    }

    private struct Constant: RandomNumberGenerator {
        let bits: UInt64

        mutating func next() -> UInt64 { bits }
    }
}

@Suite("new-api: the key")
struct NewAPIKeyTests {
    @Test("is the credential, without an end and without a call")
    func key() async throws {
        let sender = FakeSender(500, "")
        let mint = try await Relay.provider(sender: sender).mint(Relay.request())
        #expect(mint.text == TokenText(Relay.key))
        #expect(mint.expiry == .never)
        #expect(sender.requests.isEmpty)
    }

    @Test("is proven first when it was refused, by a signed request that is not sent twice")
    func proven() async throws {
        let sender = FakeSender(200, Relay.models)
        let mint = try await Relay.provider(sender: sender).mint(Relay.request(isForced: true))
        #expect(mint.text == TokenText(Relay.key))
        #expect(mint.expiry == .never)
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.method == .get)
        #expect(request.path == "/v1/models")
        #expect(!request.isReplayable)
        #expect(
            request.headerLines == [
                "Authorization: Bearer sk-AbC123", "Accept: application/json", "X-Bundle-Id: com.example.app",
                "X-Device-Id: 11111111-2222-3333-4444-555555555555", "X-Timestamp: 1775000000",
                "X-Nonce: AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE",
                "X-Signature: jqiEl9H3VZ/KkQigQc2I4uTD7YOKUff/p8uLoPF1RMg=",
            ]
        )
    }

    @Test("is not handed out where no header can carry it")
    func unusable() async {
        let failure = await #expect(throws: MintFailure.self) {
            try await Relay.provider(sender: FakeSender(200, "")).mint(Relay.request(key: "sk-a b"))
        }
        #expect(failure?.failureClass == .secretUnavailable)
    }

    @Test("makes a credential that is the secret and signs the body")
    func credential() {
        let kind = NewAPIProvider.kind
        #expect(
            kind.credential(provider: Options(Relay.ids), token: Options())
                == CredentialForm(isSecret: true, signsBody: true)
        )
        #expect(kind.quotaCodes == ["insufficient_user_quota", "pre_consume_token_quota_failed"])
    }
}

@Suite("new-api: failures")
struct NewAPIFaultTests {
    private static func fault(
        _ status: Int,
        _ code: String,
        headers: UpstreamHeaders = [:],
        _ failureClass: FailureClass
    ) -> Fault {
        let body = #"{"error":{"message":"no \#(Relay.key)","type":"new_api_error","param":"","code":"\#(code)"}}"#
        return Fault(status, body, headers: headers, failureClass, code: code.isEmpty ? "new_api_error" : code)
    }

    static let faults =
        Fault.common + [
            // A wrong, a revoked and an expired key alike.
            fault(401, "", .secretRejected),
            fault(401, "invalid_api_key", .secretRejected),
            fault(401, "invalid_signature", .requestRejected),
            fault(401, "missing_device_id", .requestRejected),
            fault(403, "invalidBundleId", .requestRejected),
            fault(403, "access_denied", .requestRejected),
            fault(403, "", .requestRejected),
            fault(403, "insufficient_user_quota", .quotaExhausted),
            fault(403, "pre_consume_token_quota_failed", .quotaExhausted),
            fault(404, "model_not_found", .requestRejected),
            fault(409, "", .requestRejected),
            fault(429, "", .rateLimited),
            fault(429, "", headers: Fault.pause, .rateLimited),
            fault(500, "", .transient),
            Fault(200, #"{"data":{}}"#, .transient),
            Fault(200, #"{"data":null}"#, .transient),
            Fault(200, #"{"success":false,"message":"no"}"#, .transient),
        ]

    @Test("of a check of the key have the class that the answer means", arguments: faults)
    func classification(_ fault: Fault) async throws {
        try await fault.check(withholding: [Relay.key]) { sender in
            try await Relay.provider(sender: sender).mint(Relay.request(isForced: true))
        }
    }

    @Test("carry what the relay calls the request")
    func requestID() async {
        let sender = FakeSender(500, "", headers: ["x-oneapi-request-id": "20260717-1"])
        let failure = await #expect(throws: MintFailure.self) {
            try await Relay.provider(sender: sender).mint(Relay.request(isForced: true))
        }
        #expect(failure?.providerRequestID == "20260717-1")
    }
}
