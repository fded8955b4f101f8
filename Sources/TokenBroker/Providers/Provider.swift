/// The port to the system that a token is for: one account at one provider.
///
/// A provider knows its wire and nothing else. When to mint, how often to try and what to keep is the engine's.
public protocol Provider: Sendable {
    /// Gets one new token; called at most once at a time for each token.
    ///
    /// Where the credential is the long-lived key itself there is nothing to mint: the key is answered, without an end. It
    /// is proven at the provider first when ``MintRequest/isForced`` is set.
    ///
    /// Cancelled when the flight's deadline has passed; the answer is then of no use to anyone.
    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint

    /// Finds out whether the provider takes a secret that nothing is minted with yet, ``MintRequest/secret`` or the one that
    /// ``MintRequest/verifiedOption`` names: by the cheapest request that tells, and without using anything up.
    ///
    /// - Parameter request: for one of the account's tokens, whichever; no user is named.
    /// - Returns: the token that the provider answered with, where that is how it tells; it is kept.
    /// - Throws: `secretRejected` or `sessionLost` where the provider refuses it; any other failure says nothing about it.
    func verify(_ request: MintRequest) async throws(MintFailure) -> Mint?

    /// The headers by which the provider lets in one request of an app. Computes and does not wait.
    ///
    /// - Parameter secret: the account's long-lived key where ``CredentialForm/accompaniesSecret`` says that it goes along.
    /// - Throws: ``AuthorizationFault`` where the request lacks what they need.
    func headers(
        for request: AppRequest,
        credential: TokenText,
        secret: Secret?
    ) throws(AuthorizationFault) -> [CredentialHeader]

    /// Makes and revokes the account's keys; nil where the provider has no API for that.
    var keyIssuer: (any KeyIssuer)? { get }
}

extension Provider {
    public var keyIssuer: (any KeyIssuer)? { nil }

    /// By a mint.
    public func verify(_ request: MintRequest) async throws(MintFailure) -> Mint? {
        try await mint(request)
    }

    /// What nearly all providers take: the credential as a bearer token (RFC 6750 §2.1).
    public func headers(
        for request: AppRequest,
        credential: TokenText,
        secret: Secret?
    ) throws(AuthorizationFault) -> [CredentialHeader] {
        [.bearer(credential)]
    }
}

/// What a provider needs to know to mint one token.
public struct MintRequest: Sendable {
    public let token: TokenDefinition
    /// The end user the token is for; nil for one that all callers share.
    public let subject: Subject?
    /// What else the caller told of the user.
    public let details: SubjectDetails?
    /// The account's long-lived key.
    public let secret: Secret
    /// The other secrets that the provider's block names, by the option that names them.
    public let secretsByOption: [String: Result<Secret, SecretProblem>]
    /// Whether someone says that the last credential was refused, or an operator wants another one.
    public let isForced: Bool
    /// Which of the ``secretsByOption`` is to be verified; nil where ``secret`` is.
    public let verifiedOption: String?

    public init(
        token: TokenDefinition,
        subject: Subject? = nil,
        details: SubjectDetails? = nil,
        secret: Secret,
        secretsByOption: [String: Result<Secret, SecretProblem>] = [:],
        isForced: Bool = false,
        verifiedOption: String? = nil
    ) {
        self.token = token
        self.subject = subject
        self.details = details
        self.secret = secret
        self.secretsByOption = secretsByOption
        self.isForced = isForced
        self.verifiedOption = verifiedOption
    }
}

/// A token as a provider handed it out.
public struct Mint: Sendable {
    public let text: TokenText
    public let expiry: StatedExpiry
    /// When the request was handed to the connection: lifetimes count from here, so that a slow answer shortens them.
    public let requestedAt: Moment
    /// What the provider's clock showed at ``requestedAt``, from the answer's `Date` header: the host's own time where the
    /// two agree.
    public let providerDate: WallInstant?
    /// How far the provider's clock is ahead of the host's at the least, from the same.
    public let clockSkew: Duration?
    /// What it is good for, where the provider says so.
    public var scope: GrantedScope?
    /// Which version of the account's long-lived key it was minted with; the engine notes it.
    private(set) var secretVersion: SecretVersionNumber?

    public init(
        text: TokenText,
        expiry: StatedExpiry,
        requestedAt: Moment,
        providerDate: WallInstant? = nil,
        clockSkew: Duration? = nil
    ) {
        self.text = text
        self.expiry = expiry
        self.requestedAt = requestedAt
        self.providerDate = providerDate
        self.clockSkew = clockSkew
    }

    func minted(with version: SecretVersionNumber?) -> Mint {
        var mint = self
        mint.secretVersion = version
        return mint
    }
}
