/// How a provider deviates from its normal self; what is nil is normal. Each member is a ``Knob``.
struct Behaviour {
    // On the wire.
    var path: String?
    var delayMilliseconds: Int64?
    var hang: Bool?
    var closeAfterBytes: Int64?
    var status: Int64?
    var error: String?
    var body: String?
    var bodyForm: BodyForm?
    var oversizedBytes: Int64?
    var contentType: String?
    var retryAfter: String?
    var location: String?

    // In what is minted.
    var lifetimeSeconds: Int64?
    var expiresAtForm: ExpiresAtForm?
    var sameToken: Bool?
    var clockSkewSeconds: Int64?
    var unknownProductStatus: Int64?

    // Palbase's refresh tokens.
    var graceSeconds: Int64?
    var refreshLifetimeSeconds: Int64?
    var refreshesPerMinute: Int64?

    // new-api's signatures.
    var signingKeyText: SigningKeyText?
    var timestampUnit: TimestampUnit?
    var signatureWindowSeconds: Int64?

    /// Whether a request to that path, below the provider's prefix, is meant.
    func concerns(_ path: String) -> Bool {
        self.path == nil || self.path == path
    }
}
