import Testing
import TokenBroker
import Upstream

@Suite("App AI Gateway: failures")
struct AppAIGatewayFaultTests {
    private static func fault(
        _ status: Int,
        _ code: String,
        headers: UpstreamHeaders = [:],
        _ failureClass: FailureClass
    ) -> Fault {
        Fault(status, Gateway.error(code), headers: headers, failureClass, code: code)
    }

    /// What both kinds of requests can be answered.
    static let everywhere =
        Fault.common + [
            fault(401, "auth_required", .secretRejected),
            fault(403, "app_disabled", .requestRejected),
            fault(403, "NOPE", .requestRejected),
            fault(404, "app_not_found", .requestRejected),
            fault(404, "invalid_request", .requestRejected),
            fault(409, "conflict", .requestRejected),
            fault(402, "billing_payment_required", .quotaExhausted),
            fault(403, "unclaimed_access_expired", .quotaExhausted),
            fault(403, "billing_trial_expired", .quotaExhausted),
            fault(403, "account_expired", .quotaExhausted),
            fault(429, "billing_request_quota_exceeded", headers: Fault.pause, .quotaExhausted),
            fault(429, "app_budget_exhausted", .quotaExhausted),
            fault(429, "budget_exhausted", .quotaExhausted),
            fault(429, "app_rate_limited", headers: Fault.pause, .rateLimited),
            fault(429, "rate_limited", headers: Fault.pause, .rateLimited),
            fault(429, "rate_limited", .rateLimited),
            fault(503, "billing_unavailable", headers: Fault.pause, .transient),
            fault(500, "internal_error", .transient),
        ]

    static let exchanges = [
        // A wrong and a revoked key alike, where the check of the key ends as the exchange did.
        fault(403, "auth_required", .secretRejected),
        fault(401, "NOPE", .secretRejected),
        fault(403, "issuer_token_rejected", .userRefused),
        fault(403, "issuer_claims_missing", .userRefused),
        fault(503, "issuer_verification_unavailable", .transient),
        fault(503, "issuer_verification_unavailable", headers: Fault.pause, .transient),
        fault(400, "auth_method_not_supported", .requestRejected),
        fault(400, "invalid_request", .requestRejected),
        Fault(200, #"{"access_token":null,"expires_in":3600}"#, .transient),
        Fault(200, #"{"access_token":7,"expires_in":3600}"#, .transient),
        Fault(200, #"{"access_token":"a b","expires_in":3600}"#, .transient),
        Fault(200, #"{"access_token":"a","expires_in":true}"#, .transient),
        Fault(200, #"{"access_token":"a","expires_in":[3600]}"#, .transient),
        Fault(200, #"{"access_token":"a","expires_in":"1h"}"#, .transient),
        Fault(200, #"{"access_token":"a","expires_in":"2026-07-17T12:34:56Z"}"#, .transient),
    ]

    static let checks = [
        fault(401, "NOPE", .secretRejected),
        // Decided before the key is looked at, and by the user that the check was made as.
        fault(400, "invalid_request", .transient),
        fault(403, "auth_required", .transient),
        fault(403, "auth_method_not_supported", .requestRejected),
        Fault(404, #"{"error":{"code":""}}"#, .requestRejected),
        Fault(200, #"{"user_id":7}"#, .transient),
        Fault(200, #"{"user_id":null}"#, .transient),
    ]

    @Test("of an exchange have the class that the answer means", arguments: everywhere + exchanges)
    func exchange(_ fault: Fault) async throws {
        try await fault.check(withholding: [Gateway.key, Gateway.issuerToken]) { sender in
            try await Gateway.provider("issuer-token", sender: sender)
                .mint(Gateway.request(issuerToken: Gateway.issuerToken))
        }
    }

    @Test("of a check of the key have the class that the answer means", arguments: everywhere + checks)
    func keyCheck(_ fault: Fault) async throws {
        for (user, options) in [("none", [:]), ("header", ["verify_as": "u-1"])] {
            try await fault.check(withholding: [Gateway.key]) { sender in
                try await Gateway.provider(user, options, sender: sender).mint(Gateway.request(isForced: true))
            }
        }
    }

    @Test("come from the network as they do for every kind")
    func network() async throws {
        let sender = FakeSender(.failure(UpstreamFailure(.tlsUntrusted, "host: not trusted")))
        for user in ["none", "issuer-token"] {
            let failure = await #expect(throws: MintFailure.self) {
                try await Gateway.provider(user, sender: sender)
                    .mint(Gateway.request(isForced: true, issuerToken: Gateway.issuerToken))
            }
            #expect(failure?.failureClass == .untrusted)
        }
    }
}
