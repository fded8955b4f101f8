import Synchronization
import Testing
import TokenBroker
import Upstream

@testable import Providers

/// What a provider says of a secret that is not in force, as the engine reads it.
enum Verdict: Equatable, Sendable {
    case good, refused, unproven
}

/// A kind of provider whose key is put to the test, with its own words for what can come of it.
struct VerifiedKind: Sendable, CustomTestStringConvertible {
    struct Answer: Sendable {
        let status: Int
        let body: String
        let verdict: Verdict

        init(_ status: Int, _ body: String, _ verdict: Verdict) {
            self.status = status
            self.body = body
            self.verdict = verdict
        }
    }

    let testDescription: String
    let key: String
    /// The method and the path of the only request.
    let request: String
    /// Whether the proof is a token, which is kept.
    let mints: Bool
    let answers: [Answer]
    let verify: @Sendable (any HTTPSender, String) async throws(MintFailure) -> Mint?

    /// - Throws: what the verification failed with.
    func verdict(_ sender: any HTTPSender) async -> (Verdict, MintFailure?) {
        do throws(MintFailure) {
            _ = try await verify(sender, key)
            return (.good, nil)
        } catch {
            let isRefusal = error.failureClass == .secretRejected || error.failureClass == .sessionLost
            return (isRefusal ? .refused : .unproven, error)
        }
    }
}

extension VerifiedKind {
    private static func nested(_ type: String, _ code: String) -> String {
        #"{"error":{"type":"\#(type)","code":"\#(code)","message":"\#(canary)"}}"#
    }

    private static func flat(_ code: String) -> String { #"{"error":"\#(code)","error_description":"\#(canary)"}"# }

    private static func definition(
        _ kind: String,
        _ options: [String: String] = [:]
    ) -> ProviderDefinition {
        ProviderDefinition(
            name: "account",
            kind: kind,
            baseURL: "https://provider.example",
            secret: "key",
            timeout: .seconds(10),
            options: Options(options)
        )
    }

    /// A provider's verification of its long-lived key.
    private static func verification(
        _ definition: ProviderDefinition,
        token options: [String: String] = [:]
    ) -> @Sendable (any HTTPSender, String) async throws(MintFailure) -> Mint? {
        { sender, key throws(MintFailure) in
            let token = TokenDefinition(name: "token", provider: "account", options: Options(options))
            return try await ProviderRegistry.makeProvider(definition, .fake(sender))
                .verify(MintRequest(token: token, secret: Secret(key.utf8), isForced: true))
        }
    }

    private static let autocomplete = VerifiedKind(
        testDescription: "ai-autocomplete",
        key: "sk_v1_canary8f3a",
        request: "POST /api/auth/token",
        mints: true,
        answers: [
            Answer(200, #"{"access_token":"at_v1_a","expires_at":1775464738,"token_type":"Bearer"}"#, .good),
            Answer(401, nested("", "INVALID_SECRET_KEY"), .refused),
            Answer(403, nested("", "INVALID_SECRET_KEY"), .refused),
            Answer(403, nested("", "FORBIDDEN"), .unproven),
            Answer(404, nested("", "PRODUCT_NOT_FOUND"), .unproven),
        ],
        verify: verification(
            definition("ai-autocomplete"),
            token: ["product_id": "0d4c1a53-6f0e-4d0e-9f3a-5f6c0b1d2e3f"]
        )
    )

    private static let oauth2 = VerifiedKind(
        testDescription: "oauth2",
        key: "canary8f3a",
        request: "POST ",
        mints: true,
        answers: [
            Answer(200, #"{"access_token":"a","expires_in":3600,"token_type":"Bearer"}"#, .good),
            Answer(401, flat("invalid_client"), .refused),
            Answer(400, flat("invalid_client"), .refused),
            Answer(403, flat("invalid_client"), .refused),
            Answer(403, flat("forbidden"), .unproven),
            Answer(403, flat("access_denied"), .unproven),
            Answer(400, flat("invalid_scope"), .unproven),
            Answer(429, flat("slow_down"), .unproven),
        ],
        verify: verification(definition("oauth2", ["client_id": "broker"]))
    )

    private static let roadie = VerifiedKind(
        testDescription: "roadie",
        key: "rd_sk_test_canary8f3a",
        request: "GET /v1/models",
        mints: false,
        answers: [
            Answer(200, #"{"object":"list","data":[]}"#, .good),
            Answer(401, nested("authentication_error", "invalid_api_key"), .refused),
            Answer(403, nested("authentication_error", "revoked"), .refused),
            Answer(401, nested("news", "news"), .refused),
            Answer(403, nested("permission_error", "forbidden"), .unproven),
            Answer(403, nested("news", "news"), .unproven),
            Answer(402, nested("budget_error", "budget_exceeded"), .unproven),
            Answer(429, nested("rate_limit_error", "rate_limited"), .unproven),
            Answer(429, nested("quota_error", "insufficient_quota"), .unproven),
            Answer(200, #"{"data":{}}"#, .unproven),
        ],
        verify: verification(definition("roadie"), token: ["end_user": "per-request"])
    )

    private static let newAPI = VerifiedKind(
        testDescription: "new-api",
        key: "sk-canary8f3a",
        request: "GET /v1/models",
        mints: true,
        answers: [
            Answer(200, #"{"object":"list","data":[]}"#, .good),
            Answer(401, nested("new_api_error", ""), .refused),
            Answer(401, nested("new_api_error", "invalid_signature"), .unproven),
            Answer(403, nested("new_api_error", ""), .unproven),
            Answer(403, nested("new_api_error", "access_denied"), .unproven),
            Answer(403, nested("new_api_error", "insufficient_user_quota"), .unproven),
            Answer(429, nested("new_api_error", ""), .unproven),
            Answer(200, #"{"data":null}"#, .unproven),
        ],
        verify: verification(definition("new-api", ["bundle_id": "com.example.app", "device_id": "device-1"]))
    )

    private static func gateway(
        _ user: String,
        _ options: [String: String] = [:],
        request: String,
        _ answers: [Answer]
    ) -> VerifiedKind {
        let options = options.merging(["app_id": "app-1", "user": user]) { $1 }
        return VerifiedKind(
            testDescription: "app-ai-gateway \(user)",
            key: Gateway.key,
            request: request,
            mints: user != "issuer-token",
            answers: answers + [
                Answer(401, nested("", "auth_required"), .refused),
                Answer(403, nested("", "app_disabled"), .unproven),
                Answer(404, nested("", "app_not_found"), .unproven),
                Answer(400, nested("", "invalid_request"), .unproven),
                Answer(429, nested("", "rate_limited"), .unproven),
                Answer(429, nested("", "app_budget_exhausted"), .unproven),
                Answer(503, nested("", "billing_unavailable"), .unproven),
            ],
            verify: verification(definition("app-ai-gateway", options))
        )
    }

    private static let gateways = [
        gateway(
            "none",
            request: "GET /v1/apps/app-1/me",
            [
                Answer(404, nested("", "auth_method_not_supported"), .good),
                Answer(403, nested("", "auth_method_not_supported"), .unproven),
            ]
        ),
        gateway(
            "header",
            ["verify_as": "u-1"],
            request: "GET /v1/apps/app-1/me",
            [
                Answer(200, #"{"user_id":"u-1","limits":{}}"#, .good),
                Answer(403, nested("", "auth_required"), .unproven),
            ]
        ),
        gateway(
            "issuer-token",
            request: "POST /v1/apps/app-1/auth/token",
            [
                Answer(403, nested("", "issuer_token_rejected"), .good),
                Answer(403, nested("", "auth_required"), .refused),
                Answer(403, nested("", "issuer_claims_missing"), .unproven),
                Answer(503, nested("", "issuer_verification_unavailable"), .unproven),
                Answer(200, #"{"access_token":"a","expires_in":3600}"#, .unproven),
            ]
        ),
    ]

    private static let palbaseKeyAnswers = [
        Answer(400, flat("invalid_request"), .good),
        Answer(401, flat("invalid_api_key"), .refused),
        Answer(401, flat("revoked_api_key"), .refused),
        Answer(403, flat("revoked_api_key"), .refused),
        Answer(403, flat("forbidden"), .unproven),
        Answer(429, flat("rate_limit_exceeded"), .unproven),
        Answer(500, flat("internal_error"), .unproven),
    ]

    private static let palbase = [
        VerifiedKind(
            testDescription: "palbase, the service key",
            key: "pb_demo_scanary8f3a",
            request: "POST /auth/token/refresh",
            mints: true,
            answers: palbaseKeyAnswers,
            verify: verification(definition("palbase", ["project": "demo"]))
        ),
        VerifiedKind(
            testDescription: "palbase, the publishable key",
            key: "pb_demo_ccanary8f3a",
            request: "POST /auth/token/refresh",
            mints: false,
            answers: palbaseKeyAnswers,
            verify: { sender, key throws(MintFailure) in
                try await PalbaseWorld().broker(sender: sender).verify(key: key)
            }
        ),
        VerifiedKind(
            testDescription: "palbase, the session",
            key: "seed-canary8f3a",
            request: "POST /auth/token/refresh",
            mints: true,
            answers: [
                Answer(200, #"{"access_token":"a","refresh_token":"b","expires_in":1800}"#, .good),
                Answer(401, flat("invalid_token"), .refused),
                Answer(401, flat("session_revoked"), .refused),
                Answer(401, flat("token_expired"), .refused),
                Answer(401, flat("token_reuse"), .refused),
                Answer(401, flat("invalid_api_key"), .unproven),
                Answer(403, flat("forbidden"), .unproven),
                Answer(429, flat("rate_limit_exceeded"), .unproven),
            ],
            verify: { sender, seed throws(MintFailure) in
                try await PalbaseWorld().broker(sender: sender).verify(seed: seed)
            }
        ),
    ]

    static let all = [autocomplete, oauth2, roadie, newAPI] + gateways + palbase
}

@Suite("A verification of a secret")
struct VerificationTests {
    @Test("is good, refused or without a proof, as the provider's own answer says", arguments: VerifiedKind.all)
    func answers(_ kind: VerifiedKind) async throws {
        for answer in kind.answers {
            let sender = FakeSender(answer.status, answer.body)
            let (verdict, failure) = await kind.verdict(sender)
            #expect(verdict == answer.verdict, "\(answer.status) \(answer.body): \(String(describing: failure))")
            #expect(!String(reflecting: failure).contains("canary"))
            #expect(sender.requests.map { "\($0.method == .get ? "GET" : "POST") \($0.path)" } == [kind.request])
        }
    }

    @Test("is without a proof where the answer may be anybody's", arguments: VerifiedKind.all)
    func commonFaults(_ kind: VerifiedKind) async throws {
        for fault in Fault.common {
            let (verdict, failure) = await kind.verdict(fault.sender)
            #expect(verdict == .unproven, "\(fault.testDescription): \(String(describing: failure))")
        }
    }

    @Test("is without a proof where there is no answer", arguments: VerifiedKind.all)
    func noAnswer(_ kind: VerifiedKind) async throws {
        for code in UpstreamFailure.Code.allCases {
            for wasSent in [false, true] {
                let failure = UpstreamFailure(code, "host: what happened", requestMayHaveBeenSent: wasSent)
                let (verdict, _) = await kind.verdict(FakeSender(.failure(failure)))
                #expect(verdict == .unproven, "\(code)")
            }
        }
    }

    @Test("gives the token that proved it, where there is one", arguments: VerifiedKind.all)
    func proof(_ kind: VerifiedKind) async throws {
        let good = try #require(kind.answers.first { $0.verdict == .good })
        let mint = try await kind.verify(FakeSender(good.status, good.body), kind.key)
        #expect((mint != nil) == kind.mints)
    }

    @Test(
        "goes out under the candidate, and names no user that the configuration does not",
        arguments: VerifiedKind.all
    )
    func credential(_ kind: VerifiedKind) async throws {
        let sender = FakeSender(500, "")
        _ = await kind.verdict(sender)
        let request = try #require(sender.requests.first)
        let wire = request.headerLines.joined(separator: "\n") + request.bodyText
        #expect(wire.contains(kind.key) || kind.testDescription == "oauth2")
        #expect(wire.contains("X-End-User-ID: u-1") == (kind.testDescription == "app-ai-gateway header"))
    }

    @Test("of a gateway's key is without a proof where no user is named to check it as")
    func noUserToVerifyAs() async {
        let sender = FakeSender(200, #"{"user_id":"u-1"}"#)
        let failure = await #expect(throws: MintFailure.self) {
            try await Gateway.provider("header", sender: sender).verify(Gateway.request(isForced: true))
        }
        #expect(failure?.failureClass == .requestRejected)
        #expect(failure?.detail.contains("verify_as") == true)
        #expect(sender.requests.isEmpty)
    }

    @Test("of a key that mints for users is another one each time, whatever a check before it said")
    func checkedAnew() async throws {
        let verdicts = ["issuer_token_rejected", "auth_required", "issuer_token_rejected", "auth_required"]
        let checks = Atomic(0)
        let sender = ScriptedSender { request in
            guard request.bodyText.contains(Gateway.keyCheck) else { return (403, Gateway.error("auth_required")) }
            return (403, Gateway.error(verdicts[checks.add(1, ordering: .relaxed).oldValue]))
        }
        let provider = Gateway.provider("issuer-token", sender: sender)
        let refusal = await #expect(throws: MintFailure.self) {
            try await provider.mint(Gateway.request(issuerToken: Gateway.issuerToken))
        }
        #expect(refusal?.failureClass == .userRefused)
        let failure = await #expect(throws: MintFailure.self) {
            try await provider.verify(Gateway.request(isForced: true))
        }
        #expect(failure?.failureClass == .secretRejected)
        _ = try await provider.verify(Gateway.request(isForced: true))
        await #expect(throws: MintFailure.self) { try await provider.verify(Gateway.request(isForced: true)) }
    }
}
