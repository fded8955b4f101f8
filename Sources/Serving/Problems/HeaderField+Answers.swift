internal import HTTPWire
internal import TokenBroker

extension HeaderField {
    static let jsonType = HeaderField(constant: "Content-Type", "application/json")
    static let problemType = HeaderField(constant: "Content-Type", "application/problem+json")
    /// On every answer: what the broker says is a secret, or is stale in a second.
    static let noStore = HeaderField(constant: "Cache-Control", "no-store")

    /// What a 401 has to say (RFC 9110 §11.6.1).
    static let bearerChallenge = HeaderField(constant: "WWW-Authenticate", "Bearer")

    /// The same for a route that wants a device's proof, which goes into a header of its own.
    static let proofChallenge = HeaderField(constant: "WWW-Authenticate", "DeviceProof")

    /// What a gate that only monitors saw.
    static func deviceVerdict(_ verdict: DeviceVerdict) -> HeaderField {
        HeaderField(checked: "X-Device-Verdict", verdict.rawValue)
    }

    /// A provider's header; the provider and the configuration saw to it that it can be sent.
    init(_ header: CredentialHeader) {
        self.init(checked: header.name, header.value)
    }

    init(_ name: String, number: Int64) {
        self.init(checked: name, String(number))
    }

    static func allow(_ methods: String) -> HeaderField {
        HeaderField(checked: "Allow", methods)
    }

    static func entityTag(_ generation: Int64) -> HeaderField {
        HeaderField(checked: "ETag", "\"\(generation)\"")
    }

    /// A field whose value the broker made itself or has checked.
    private init(checked name: String, _ value: String) {
        do throws(WireEncodingError) {
            try self.init(name, value)
        } catch {
            preconditionFailure("\(name): \(error)")
        }
    }
}
