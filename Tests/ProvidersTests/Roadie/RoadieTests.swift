import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("Roadie")
struct RoadieTests {
    private static let key = "rd_sk_test_canary"
    private static let success = #"{"token":"bp_ct_a","expires_at":"2026-07-17T12:34:56Z","end_user_id":"ann"}"#

    private func mint(
        _ sender: FakeSender,
        _ options: [String: String] = ["end_user": "per-request"],
        _ subject: Subject? = Subject(id: "ann"),
        _ details: SubjectDetails? = nil
    ) async throws -> Mint {
        let token = TokenDefinition(name: "chat", provider: "roadie", options: Options(options))
        let request = MintRequest(token: token, subject: subject, details: details, secret: Secret(Self.key.utf8))
        return try await RoadieProvider(sender: sender).mint(request)
    }

    @Test("sends exactly what is known of the user, once")
    func minimalRequest() async throws {
        let sender = FakeSender(201, Self.success)
        let mint = try await mint(sender)
        #expect(mint.text == TokenText("bp_ct_a"))
        #expect(mint.expiry == .at(WallInstant(milliseconds: 1_784_291_696_000)))
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.path == "/v1/client-tokens")
        #expect(request.bodyText == #"{"end_user":{"id":"ann"}}"#)
        #expect(request.headerLines.first == "Authorization: Bearer \(Self.key)")
        #expect(!request.isReplayable)
    }

    @Test("sends all that the configuration and the caller say")
    func fullRequest() async throws {
        let sender = FakeSender(201, Self.success)
        _ = try await mint(
            sender,
            ["end_user": "per-request", "plan": "free", "scopes": "ai.chat ai.embed", "ttl": "600"],
            Subject(id: "ann", plan: "pro"),
            SubjectDetails(attributes: #"{"age":7}"#)
        )
        #expect(
            sender.requests.first?.bodyText == #"{"end_user":{"id":"ann","plan":"pro","attributes":{"age":7}},"#
                + #""ttl_seconds":600,"scopes":["ai.chat","ai.embed"]}"#
        )
    }

    @Test("mints for the one user that the configuration names")
    func fixedUser() async throws {
        let sender = FakeSender(201, Self.success)
        _ = try await mint(sender, ["end_user": "ann", "plan": "free"], nil)
        #expect(sender.requests.first?.bodyText == #"{"end_user":{"id":"ann","plan":"free"}}"#)
    }

    @Test("does not take a token for another user")
    func otherUser() async throws {
        let fault = Fault(201, #"{"token":"a","expires_at":"2026-07-17T12:34:56Z","end_user_id":"bob"}"#, .transient)
        try await fault.check(withholding: [Self.key, "bob"]) { try await mint($0) }
    }

    private static func error(_ type: String, _ code: String? = nil) -> String {
        let code = code.map { #","code":"\#($0)""# } ?? ""
        return #"{"error":{"type":"\#(type)"\#(code),"message":"\#(key)"}}"#
    }

    static let faults =
        Fault.common + [
            Fault(400, error("invalid_request_error"), .requestRejected, code: "invalid_request_error"),
            Fault(401, error("authentication_error", "invalid_api_key"), .secretRejected, code: "invalid_api_key"),
            Fault(402, error("budget_error"), .quotaExhausted, code: "budget_error"),
            Fault(403, error("permission_error"), .userRefused, code: "permission_error"),
            Fault(404, error("not_found_error"), .requestRejected, code: "not_found_error"),
            Fault(409, error("idempotency_error"), .transient, code: "idempotency_error"),
            Fault(
                429,
                error("rate_limit_error", "rate_limited"),
                headers: Fault.pause,
                .rateLimited,
                code: "rate_limited"
            ),
            Fault(
                429,
                error("rate_limit_error"),
                headers: ["X-RateLimit-Reset": "1775000040"],
                .rateLimited,
                code: "rate_limit_error",
                asking: .seconds(40)
            ),
            Fault(429, error("quota_error", "insufficient_quota"), .quotaExhausted, code: "insufficient_quota"),
            Fault(429, error("quota_error"), headers: Fault.pause, .quotaExhausted, code: "quota_error"),
            Fault(502, error("provider_error"), .transient, code: "provider_error"),
            Fault(500, error("internal_error"), .transient, code: "internal_error"),
            Fault(
                503,
                error("internal_error"),
                headers: Fault.pause,
                .transient,
                code: "internal_error"
            ),
            Fault(400, error("news"), .requestRejected, code: "news"),
            Fault(401, error("news"), .secretRejected, code: "news"),
            Fault(402, error("news"), .quotaExhausted, code: "news"),
            Fault(403, error("news"), .userRefused, code: "news"),
            Fault(403, #"{"error":{"message":"\#(key)"}}"#, .userRefused),
            Fault(403, error("authentication_error"), .secretRejected, code: "authentication_error"),
            Fault(404, error("news"), .requestRejected, code: "news"),
            Fault(409, error("news"), .transient, code: "news"),
            Fault(422, error("news"), .requestRejected, code: "news"),
            Fault(
                429,
                error("news"),
                headers: ["X-RateLimit-Reset": "1775000040"],
                .rateLimited,
                code: "news",
                asking: .seconds(40)
            ),
            Fault(500, error("news"), .transient, code: "news"),
            Fault(201, #"{"token":"a","expires_at":1784291696}"#, .transient),
            Fault(201, #"{"token":7,"expires_at":"2026-07-17T12:34:56Z"}"#, .transient),
            Fault(201, #"{"access_token":"a","expires_at":"2026-07-17T12:34:56Z"}"#, .transient),
        ]

    @Test("tells its failures apart by their type, and by their status where that is none it knows", arguments: faults)
    func failures(_ fault: Fault) async throws {
        try await fault.check(withholding: [Self.key]) { try await mint($0) }
    }

    @Test("a permission that is missing for the one configured user is a matter of the configuration")
    func fixedUserRefused() async throws {
        for type in ["permission_error", "news"] {
            let fault = Fault(403, Self.error(type), .requestRejected, code: type)
            try await fault.check(withholding: [Self.key]) { try await mint($0, ["end_user": "ann"], nil) }
        }
    }

    @Test("is per user where the configuration says so")
    func form() {
        let kind = RoadieProvider.kind
        let perUser = kind.credential(provider: Options(), token: Options(["end_user": "per-request"]))
        #expect(perUser == CredentialForm(user: .endUser))
        let fixed = kind.credential(provider: Options(), token: Options(["end_user": "ann"]))
        #expect(fixed == CredentialForm(fixedUser: "ann"))
    }
}
