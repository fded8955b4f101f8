internal import JSON
internal import TokenBroker
internal import Upstream

/// What an answer of AI Autocomplete's token endpoint means.
///
/// Documented are 200 and 401 `INVALID_SECRET_KEY`; everything else is read as HTTP means it, and as harmless as it can
/// be: a refusal is believed only in the provider's own envelope, because a proxy's page must not stop the minting.
struct AIAutocompleteAnswer {
    private static let invalidSecretKey = "INVALID_SECRET_KEY"

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    func mint() throws(MintFailure) -> Mint {
        guard (200..<300).contains(answer.response.status) else { throw refusal }
        guard let document = answer.document else { throw unreadable("the body is not a JSON object") }
        guard let text = document["access_token"]?.string.flatMap({ TokenText($0) }) else {
            throw unreadable("access_token is missing or not one")
        }
        guard isBearer(document["token_type"]) else { throw unreadable("token_type is not Bearer") }
        return Mint(
            text: text,
            expiry: try expiry(document["expires_at"]),
            requestedAt: answer.response.requestedAt,
            providerDate: answer.response.date
        )
    }

    /// Unix seconds, as a number or as text. Null is as good as missing, and neither means that the token never ends.
    private func expiry(_ value: JSONValue?) throws(MintFailure) -> StatedExpiry {
        guard let value, value != .null else { return .unstated }
        guard let literal = value.number?.literal ?? value.string, let instant = WallInstant(unixSeconds: literal)
        else {
            throw unreadable("expires_at is not a number of seconds")
        }
        return .at(instant)
    }

    private func isBearer(_ value: JSONValue?) -> Bool {
        guard let value, value != .null else { return true }
        return value.string?.lowercased() == "bearer"
    }

    private func unreadable(_ reason: String) -> MintFailure {
        answer.failure(.transient, "the provider's answer cannot be read: \(reason)")
    }

    private var refusal: MintFailure {
        let status = answer.response.status
        if answer.errorCode == Self.invalidSecretKey { return secretRejected }
        switch status {
        case 429:
            return answer.failure(.rateLimited(retryAfter: answer.response.retryAfter), "the provider asks for a pause")
        case 300..<400:
            return answer.failure(
                .requestRejected,
                "the provider answered with a redirect (HTTP \(status)), which is not followed; check base_url"
            )
        case 500..<600:
            return unavailable
        case 408, 425:
            return answer.failure(.transient, "the provider wants the request again (HTTP \(status))")
        case 400..<500 where answer.hasErrorEnvelope:
            return believedRefusal
        default:
            return unreadable("HTTP \(status) without the provider's own error, perhaps from a proxy on the way")
        }
    }

    /// A pause that comes with a server error is kept like that of a 429 (RFC 9110 §10.2.3).
    private var unavailable: MintFailure {
        let detail = "the provider has a problem (HTTP \(answer.response.status))"
        guard let pause = answer.response.retryAfter else { return answer.failure(.transient, detail) }
        return answer.failure(.rateLimited(retryAfter: pause), "\(detail) and asks for a pause")
    }

    /// 403 counts as a refusal of the key: the endpoint's other input is the product, and a product that is wrong is
    /// 400, 404 or 422, so that what is forbidden is this key's use for it. Either way no retry helps.
    private var believedRefusal: MintFailure {
        switch answer.response.status {
        case 401, 403:
            secretRejected
        case 402:
            answer.failure(.quotaExhausted, "the account's allowance at the provider is spent")
        default:
            answer.failure(
                .requestRejected,
                "the provider calls the request wrong (HTTP \(answer.response.status)); check product_id and base_url"
            )
        }
    }

    private var secretRejected: MintFailure {
        answer.failure(
            .secretRejected,
            "the provider refused the secret key; put a valid sk_v1_ key of the product's account in its place"
        )
    }
}
