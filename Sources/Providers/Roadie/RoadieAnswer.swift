internal import JSON
internal import TokenBroker
internal import Upstream

/// What an answer of Roadie means, to a mint or to a check of the key. Its type of error says more than the status.
struct RoadieAnswer {
    private let answer: ProviderAnswer
    private let isPerUser: Bool

    /// - Parameter isPerUser: whether the token is for a user whom the app named: a refusal of that one must not touch
    ///   the others.
    init(_ answer: ProviderAnswer, isPerUser: Bool) {
        self.answer = answer
        self.isPerUser = isPerUser
    }

    func mint(for user: String) throws(MintFailure) -> Mint {
        let document = try answer.success(refusal: refusal)
        let text = try answer.token("token", in: document)
        if let named = document["end_user_id"]?.string, !named.utf8.elementsEqual(user.utf8) {
            throw answer.unreadable("the token is for another end user")
        }
        return answer.mint(text, try answer.expiry(date: "expires_at", in: document))
    }

    /// Only a key that is taken gets the list of models, which is in `data`.
    func requireGoodKey() throws(MintFailure) {
        do throws(MintFailure) {
            let document = try answer.success(refusal: refusal)
            guard document["data"]?.array != nil else { throw answer.unreadable("data is missing or not a list") }
        } catch {
            throw RoadieErrorType(answer) == .authentication ? error : error.asVerdict()
        }
    }

    private func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch RoadieErrorType(answer) {
        case .authentication:
            answer.failure(.secretRejected, "the provider refused the secret key; put a valid rd_sk_ key in its place")
        case .permission where isPerUser:
            answer.failure(.userRefused, "the provider does not allow this for the end user")
        case .permission, .invalidRequest, .notFound:
            answer.failure(
                .requestRejected,
                "the provider calls the request wrong; check the token's end_user, plan, scopes and ttl"
            )
        case .budget, .quota:
            answer.failure(.quotaExhausted, "the allowance at the provider is spent")
        case .rateLimit:
            answer.failure(.rateLimited, "the provider asks for a pause", asking: restOfWindow)
        case .idempotency, .provider, .internalError:
            answer.unavailable
        case nil:
            nil
        }
    }

    /// Until the instant at which the window ends, in Unix seconds.
    private var restOfWindow: Duration? {
        guard let reset = answer.response.headers["X-RateLimit-Reset"].flatMap({ WallInstant(unixSeconds: $0) }) else {
            return nil
        }
        let rest = reset.since(answer.response.date ?? answer.response.requestedAt.wall)
        return rest > .zero ? rest : nil
    }
}

/// What an error of Roadie's is about: its type.
private enum RoadieErrorType: String {
    case invalidRequest = "invalid_request_error"
    case authentication = "authentication_error"
    case budget = "budget_error"
    case permission = "permission_error"
    case notFound = "not_found_error"
    case idempotency = "idempotency_error"
    case rateLimit = "rate_limit_error"
    case quota = "quota_error"
    case provider = "provider_error"
    case internalError = "internal_error"

    /// A type that is missing or unheard of is the one that the status stands for, as to the provider's own client.
    ///
    /// - Returns: nil where the status means what HTTP has it mean, and where it may not be the provider's.
    init?(_ answer: ProviderAnswer) {
        if let type = answer.errorType.flatMap(Self.init(rawValue:)) {
            self = type
            return
        }
        guard answer.hasErrorEnvelope else { return nil }
        switch answer.response.status {
        case 401: self = .authentication
        case 402: self = .budget
        case 403: self = .permission
        case 409: self = .idempotency
        case 429: self = .rateLimit
        default: return nil
        }
    }
}
