import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("App AI Gateway: making and revoking keys")
struct AppAIGatewayKeysTests {
    private static let credential = Secret("agw_mgmt_canary".utf8)
    private static let key = "agw_canaryABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghi"
    private static let made = #"{"id":"key_1","name":"n","key":"\#(key)","key_prefix":"agw_canaryAB","created_at":"x"}"#

    private func issuer(_ sender: any HTTPSender) throws -> any KeyIssuer {
        try #require(Gateway.provider("none", sender: sender).keyIssuer)
    }

    private func issue(_ sender: any HTTPSender) async throws -> Result<NewKey, KeyIssueFailure> {
        let issuer = try issuer(sender)
        do throws(KeyIssueFailure) {
            return .success(try await issuer.issue("label", like: nil, by: Self.credential))
        } catch {
            return .failure(error)
        }
    }

    private func failure(_ sender: any HTTPSender) async throws -> KeyIssueFailure? {
        guard case .failure(let failure) = try await issue(sender) else { return nil }
        return failure
    }

    @Test("asks for a key once, with the name alone")
    func issue() async throws {
        let sender = FakeSender(201, Self.made)
        let made = try await issue(sender).get()
        #expect(made.id == "key_1")
        #expect(made.value == Secret(Self.key.utf8))
        let request = try #require(sender.requests.first)
        #expect(sender.requests.count == 1)
        #expect(request.method == .post)
        #expect(request.path == "/v1/admin/apps/example-app-a1b2c3/keys")
        #expect(request.headerLines.contains("Authorization: Bearer agw_mgmt_canary"))
        #expect(request.bodyText == #"{"name":"label"}"#)
        #expect(!request.isReplayable)
    }

    @Test("says what to do where the plan has no room for another key")
    func planCap() async throws {
        let body = """
            {"error":{"code":"billing_plan_limit_reached","message":"\(Self.key)","data":{"limit":2,"used":2}}}
            """
        guard case .refused(let failure) = try await failure(FakeSender(409, body)) else {
            throw KeyIssueFailure.unknown(MintFailure(.transient, detail: "not refused"))
        }
        #expect(failure.failureClass == .quotaExhausted)
        #expect(failure.providerCode == "billing_plan_limit_reached")
        #expect(failure.detail.contains("(2 of 2)"))
        #expect(failure.detail.contains("revoke one"))
        #expect(!failure.detail.contains("canary"))
    }

    @Test(
        "knows that no key was made only where the gateway says so",
        arguments: [
            (401, Gateway.error("auth_required"), FailureClass.secretRejected, true),
            (403, Gateway.error("grant_insufficient"), .requestRejected, true),
            (404, Gateway.error("app_not_found"), .requestRejected, true),
            (400, Gateway.error("invalid_request"), .requestRejected, true),
            (429, Gateway.error("rate_limited"), .rateLimited, true),
            (500, Gateway.error("internal_error"), .transient, false), (504, "", .transient, false),
            (201, "<html>", .transient, false), (201, #"{"id":"key_1"}"#, .transient, false),
            (201, #"{"id":"../x","key":"agw_x"}"#, .transient, false),
        ]
    )
    func failures(_ status: Int, _ body: String, _ expected: FailureClass, _ isRefused: Bool) async throws {
        switch try await failure(FakeSender(status, body)) {
        case .refused(let failure):
            #expect(isRefused)
            #expect(failure.failureClass == expected)
        case .unknown(let failure):
            #expect(!isRefused)
            #expect(failure.failureClass == expected)
        case nil: Issue.record("a key was made")
        }
    }

    @Test("a request that may have arrived may have made a key", arguments: [true, false])
    func noAnswer(mayHaveBeenSent: Bool) async throws {
        let lost = UpstreamFailure(.timedOut, "host: timed out", requestMayHaveBeenSent: mayHaveBeenSent)
        switch try await failure(FakeSender(.failure(lost))) {
        case .unknown: #expect(mayHaveBeenSent)
        case .refused: #expect(!mayHaveBeenSent)
        case nil: Issue.record("a key was made")
        }
    }

    @Test("finds the keys of a name that still work")
    func ids() async throws {
        let body = """
            {"app_id":"a","keys":[{"id":"key_3","name":"label","status":"active"},
            {"id":"key_2","name":"label","status":"revoked"},{"id":"key_1","name":"another","status":"active"}]}
            """
        let sender = FakeSender(200, body)
        #expect(try await issuer(sender).ids(of: "label", by: Self.credential) == ["key_3"])
        #expect(sender.requests.map(\.method) == [.get])
    }

    @Test("revokes a key by its id; one that is gone was revoked")
    func revoke() async throws {
        let sender = FakeSender(200, #"{"app_id":"a","key":{"id":"key_1","status":"revoked"}}"#)
        try await issuer(sender).revoke("key_1", by: Self.credential)
        #expect(sender.requests.map(\.path) == ["/v1/admin/apps/example-app-a1b2c3/keys/key_1/revoke"])
        #expect(sender.requests.map(\.method) == [.post])
        for code in ["not_found", "invalid_request"] {
            try await issuer(FakeSender(404, Gateway.error(code))).revoke("key_1", by: Self.credential)
        }
        for (status, body) in [(404, Gateway.error("app_not_found")), (404, "<html>"), (500, "")] {
            let issuer = try issuer(FakeSender(status, body))
            await #expect(throws: MintFailure.self) { try await issuer.revoke("key_1", by: Self.credential) }
        }
    }
}
