internal import JSON
internal import TokenBroker
internal import Upstream

/// What an answer of AI Autocomplete's token endpoint means.
///
/// Documented are 200 and 401 `INVALID_SECRET_KEY`; everything else is read as HTTP means it.
struct AIAutocompleteAnswer {
    static let invalidSecretKey = "INVALID_SECRET_KEY"

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    func mint() throws(MintFailure) -> Mint {
        let document = try answer.success(refusal: Self.refusal)
        let text = try answer.token("access_token", in: document)
        try answer.requireBearer(in: document)
        return answer.mint(text, try answer.expiry(unixSeconds: "expires_at", in: document))
    }

    /// 403 counts as a refusal of the key: the endpoint's other input is the product, and a product that is wrong is
    /// 400, 404 or 422, so that what is forbidden is this key's use for it. Either way no retry helps.
    private static func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch answer.response.status {
        case _ where answer.errorCode == invalidSecretKey, 401, 403:
            answer.failure(
                .secretRejected,
                "the provider refused the secret key; put a valid sk_v1_ key of the product's account in its place"
            )
        case 400, 404, 405, 406, 409, 410, 413, 415, 422:
            answer.failure(
                .requestRejected,
                "the provider calls the request wrong (HTTP \(answer.response.status)); check product_id and base_url"
            )
        default:
            nil
        }
    }
}
