internal import JSON
internal import TokenBroker
internal import Upstream

/// An answer of a provider, read as far as kinds have in common.
struct ProviderAnswer {
    let response: UpstreamResponse
    /// The body, where it is one JSON object; nil for a proxy's page, an empty or a cut-off answer.
    let document: JSONObject?
    /// What the provider calls this request, for its support.
    let requestID: String?

    private let secret: Secret

    /// - Parameter secret: the key that the request was sent with. No text of the answer that quotes it is passed on.
    init(_ response: UpstreamResponse, secret: Secret) {
        self.response = response
        self.secret = secret
        document = (try? JSONValue(parsing: response.body))?.object
        requestID = response.headers["X-Request-Id"].flatMap { $0.asProviderIdentifier(withholding: secret) }
    }

    /// The code in the envelope that most APIs use, `{"error": {"code": "…"}}`, where it can be shown to people.
    var errorCode: String? {
        document?["error"]?["code"]?.string?.asProviderIdentifier(withholding: secret)
    }

    /// Whether the provider itself says that this is an error: an object under `error`.
    ///
    /// Without it a refusal may be the word of a proxy or a firewall on the way, and is not believed.
    var hasErrorEnvelope: Bool {
        document?["error"]?.object != nil
    }

    func failure(_ failureClass: FailureClass, _ detail: String) -> MintFailure {
        MintFailure(
            failureClass,
            detail: detail,
            providerStatus: response.status,
            providerCode: errorCode,
            providerRequestID: requestID
        )
    }
}

extension String {
    /// Longer than any provider's codes and ids; what is longer is not one.
    private static let longestIdentifier = 128

    /// This text where it can go into logs and answers as it is: bounded, letters, digits and `-_.:/+=` only, and without
    /// the secret.
    func asProviderIdentifier(withholding secret: Secret) -> String? {
        guard (1...Self.longestIdentifier).contains(utf8.count), utf8.allSatisfy(isIdentifierByte),
            !secret.withBytes({ utf8.contains($0) })
        else { return nil }
        return self
    }
}

private func isIdentifierByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default:
        "-_.:/+=".utf8.contains(byte)
    }
}
