internal import JSON
internal import TokenBroker
internal import Upstream

/// How a provider writes its own errors.
enum ErrorEnvelope {
    /// `{"error": {"code": "…"}}`
    case nested
    /// `{"error": "code"}`, as OAuth has it (RFC 6749 §5.2).
    case flat
}

/// An answer of a provider, read as far as kinds have in common.
struct ProviderAnswer {
    let response: UpstreamResponse
    /// The body, where it is one JSON object; nil for a proxy's page, an empty or a cut-off answer.
    let document: JSONObject?
    /// What the provider calls this request, for its support.
    let requestID: String?

    private let envelope: ErrorEnvelope
    private let secrets: [Secret]

    /// - Parameters:
    ///   - secrets: what the request was sent with. No text of the answer that quotes it is passed on.
    ///   - requestIDHeader: where the provider says what it calls this request.
    init(
        _ response: UpstreamResponse,
        envelope: ErrorEnvelope = .nested,
        secrets: [Secret],
        requestIDHeader: String = "X-Request-Id"
    ) {
        self.response = response
        self.envelope = envelope
        self.secrets = secrets
        document = (try? JSONValue(parsing: response.body))?.object
        requestID = response.headers[requestIDHeader].flatMap { $0.asProviderIdentifier(withholding: secrets) }
    }

    /// The provider's code for the error, where it can be shown to people.
    var errorCode: String? {
        let code =
            switch envelope {
            case .nested: document?["error"]?["code"]?.string
            case .flat: document?["error"]?.string
            }
        return code?.asProviderIdentifier(withholding: secrets)
    }

    /// The type beside the code, in the envelopes that have one.
    var errorType: String? {
        document?["error"]?["type"]?.string?.asProviderIdentifier(withholding: secrets)
    }

    /// Whether the provider itself says that this is an error.
    ///
    /// Without it a refusal may be the word of a proxy or a firewall on the way, and is not believed.
    var hasErrorEnvelope: Bool {
        switch envelope {
        case .nested: document?["error"]?.object != nil
        case .flat: errorCode != nil
        }
    }

    /// - Parameter pause: what the provider asks for where there is no `Retry-After`, which is honoured whatever it comes
    ///   with (RFC 9110 §10.2.3).
    func failure(_ failureClass: FailureClass, _ detail: String, asking pause: Duration? = nil) -> MintFailure {
        MintFailure(
            failureClass,
            detail: detail,
            providerStatus: response.status,
            providerCode: errorCode ?? errorType,
            providerRequestID: requestID,
            askedPause: response.retryAfter ?? pause
        )
    }

    func unreadable(_ reason: String) -> MintFailure {
        failure(.transient, "the provider's answer cannot be read: \(reason)")
    }
}

extension String {
    /// Longer than any provider's codes and ids; what is longer is not one.
    private static let longestIdentifier = 128

    /// This text where it can go into logs and answers as it is: bounded, letters, digits and `-_.:/+=` only, and without
    /// the secrets.
    func asProviderIdentifier(withholding secrets: [Secret]) -> String? {
        guard (1...Self.longestIdentifier).contains(utf8.count), utf8.allSatisfy(isIdentifierByte),
            !secrets.contains(where: { secret in secret.withBytes { utf8.contains($0) } })
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
