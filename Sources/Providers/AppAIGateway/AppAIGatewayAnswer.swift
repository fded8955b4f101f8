internal import JSON
internal import TokenBroker
internal import Upstream

/// What an answer of the gateway means. Its codes are the contract; the statuses differ between its versions.
struct AppAIGatewayAnswer {
    /// The application's budget, the account's allowance, and the budget as older gateways call it.
    static let quotaCodes: Set<String> = [
        "app_budget_exhausted", "billing_request_quota_exceeded", "budget_exhausted",
    ]
    private static let authRequired = "auth_required"
    private static let issuerTokenRejected = "issuer_token_rejected"

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    // MARK: An exchange

    /// Whether the gateway refuses who is asking: by a wrong key, or because this one user is blocked. Only its words for
    /// people differ.
    var refusesCredentials: Bool {
        answer.hasErrorEnvelope && (answer.errorCode == Self.authRequired || answer.response.status == 401)
    }

    /// Whether the gateway refuses the user's token alone, which it looks at only when the key is good.
    var refusesIssuerToken: Bool {
        answer.errorCode == Self.issuerTokenRejected
    }

    func mint() throws(MintFailure) -> Mint {
        let document = try answer.success(refusal: Self.refusal)
        let text = try answer.token("access_token", in: document)
        return answer.mint(text, try answer.expiry(secondsFromNow: "expires_in", in: document))
    }

    /// The failure of an exchange that ``refusesCredentials``.
    func failure(_ verdict: AppAIGatewayKeyVerdict) -> MintFailure {
        switch verdict {
        case .good: answer.failure(.userRefused, "the gateway refuses this user, and takes the key")
        case .refused: refusedKey
        case .unknown:
            answer.failure(.transient, "the gateway refuses this user or the key; which of them could not be found out")
        }
    }

    /// What came of an exchange whose issuer token is none.
    var keyVerdict: AppAIGatewayKeyVerdict {
        if refusesIssuerToken { return .good }
        if refusesCredentials { return .refused(refusedKey) }
        do throws(MintFailure) {
            _ = try mint()
            return .unknown(answer.unreadable("an exchange without a user's token succeeded"))
        } catch {
            return .unknown(error)
        }
    }

    // MARK: A look at /me

    /// Draws the key's verdict from the answer to `/me`.
    ///
    /// The key is looked at before the application's kind is, so that `auth_method_not_supported` speaks for it.
    func requireGoodKey() throws(MintFailure) {
        if answer.response.status == 404, answer.errorCode == "auth_method_not_supported" { return }
        let document = try answer.success(refusal: Self.refusalOfKey)
        guard document["user_id"]?.string != nil else { throw answer.unreadable("user_id is missing or not one") }
    }

    private static func refusalOfKey(_ answer: ProviderAnswer) -> MintFailure? {
        switch (answer.response.status, answer.errorCode) {
        case (401, _): AppAIGatewayAnswer(answer).refusedKey
        case (400, _):
            answer.failure(
                .transient,
                "the gateway says nothing about the key; check user, user_header and verify_as"
            )
        case (403, authRequired):
            answer.failure(
                .transient,
                "the gateway says nothing about the key, for it has blocked the user; put another one into verify_as"
            )
        default: refusal(answer)
        }
    }

    // MARK: What both have in common

    private var refusedKey: MintFailure {
        answer.failure(
            .secretRejected,
            "the gateway refused the key; put a valid agw_ key of the application in its place"
        )
    }

    /// - Returns: nil where the status alone tells.
    private static func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch answer.errorCode {
        case issuerTokenRejected:
            answer.failure(.userRefused, "the gateway refused the user's issuer token; the user has to sign in anew")
        case "issuer_claims_missing":
            answer.failure(.userRefused, "the user's issuer token does not have the claims that the gateway asks for")
        case let code? where quotaCodes.contains(code):
            answer.failure(.quotaExhausted, "the allowance at the gateway is spent")
        case "billing_payment_required", "unclaimed_access_expired", "billing_trial_expired", "account_expired":
            answer.failure(.quotaExhausted, "the account at the gateway has run out; its owner has to act")
        case "app_disabled":
            answer.failure(.requestRejected, "the application is switched off at the gateway")
        case "app_not_found":
            answer.failure(.requestRejected, "the gateway knows no such application; check app_id and base_url")
        case "auth_method_not_supported":
            answer.failure(.requestRejected, "the application's kind at the gateway is another one; check user")
        default: refusalByStatus(answer)
        }
    }

    /// A refusal that the documents do not have is never the key's: that would stop all users' mints on a guess.
    private static func refusalByStatus(_ answer: ProviderAnswer) -> MintFailure? {
        switch answer.response.status {
        case 401, 403: answer.failure(.requestRejected, "the gateway refuses the request; check app_id and user")
        default: nil
        }
    }
}
