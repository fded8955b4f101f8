internal import JSON
internal import TokenBroker
internal import Upstream

/// What an answer of the relay's list of models means.
struct NewAPIAnswer {
    /// The user's own allowance, and the key's.
    static let quotaCodes: Set<String> = ["insufficient_user_quota", "pre_consume_token_quota_failed"]
    /// What codes have in them that speak of the request's signature and not of its key. Their exact spelling is not
    /// published.
    private static let wordsOfSignature = ["signature", "bundle", "device", "timestamp", "nonce"]

    private let answer: ProviderAnswer

    init(_ answer: ProviderAnswer) {
        self.answer = answer
    }

    /// Only a good key gets the list, which an OpenAI-shaped API has in `data`.
    func requireGoodKey() throws(MintFailure) {
        let document = try answer.success(refusal: Self.refusal)
        guard document["data"]?.array != nil else { throw answer.unreadable("data is missing or not a list") }
    }

    /// A key that is unknown, disabled, expired or exhausted is 401 with an empty code; 403 is about what a good key may
    /// not do.
    private static func refusal(_ answer: ProviderAnswer) -> MintFailure? {
        switch answer.response.status {
        case _ where answer.errorCode.map(quotaCodes.contains) == true:
            answer.failure(.quotaExhausted, "the allowance of the key or of its user is spent")
        case 401 where isAboutSignature(answer.errorCode), 403 where isAboutSignature(answer.errorCode):
            answer.failure(
                .requestRejected,
                "the provider refused the signature; check bundle_id, device_id, key_text, timestamp and the host's clock"
            )
        case 401:
            answer.failure(.secretRejected, "the provider refused the key; put a valid sk- key in its place")
        case 403:
            answer.failure(
                .requestRejected,
                "the provider does not let this key in here: its user, its group or this host's address is not allowed"
            )
        default: nil
        }
    }

    private static func isAboutSignature(_ code: String?) -> Bool {
        guard let code = code?.lowercased() else { return false }
        return wordsOfSignature.contains { code.contains($0) }
    }
}
