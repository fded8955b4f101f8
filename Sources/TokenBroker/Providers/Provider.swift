/// The port to the system that a token is for: one account at one provider.
///
/// A provider knows its wire and nothing else. When to mint, how often to try and what to keep is the engine's.
public protocol Provider: Sendable {
    /// Gets one new token; called at most once at a time for each token.
    ///
    /// Cancelled when the flight's deadline has passed; the answer is then of no use to anyone.
    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint
}

/// What a provider needs to know to mint one token.
public struct MintRequest: Sendable {
    public let token: TokenDefinition
    /// The end user the token is for; nil for one that all callers share.
    public let subject: Subject?
    public let secret: Secret

    public init(token: TokenDefinition, subject: Subject? = nil, secret: Secret) {
        self.token = token
        self.subject = subject
        self.secret = secret
    }
}

/// A token as a provider handed it out.
public struct Mint: Sendable {
    public let text: TokenText
    public let expiry: StatedExpiry
    /// When the request was handed to the connection: lifetimes count from here, so that a slow answer shortens them.
    public let requestedAt: Moment
    /// The provider's own clock, from the answer's `Date` header.
    public let providerDate: WallInstant?

    public init(text: TokenText, expiry: StatedExpiry, requestedAt: Moment, providerDate: WallInstant? = nil) {
        self.text = text
        self.expiry = expiry
        self.requestedAt = requestedAt
        self.providerDate = providerDate
    }
}
