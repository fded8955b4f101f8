/// Which cached token: a name, and for a token of an end user everything that sets that user's apart.
public struct StoredTokenKey: Hashable, Sendable {
    public let name: Name
    /// Nil for a token that all callers share.
    public let subject: String?

    public init(name: Name, subject: String? = nil) {
        self.name = name
        self.subject = subject
    }

    /// By the subject's bytes, as users are told apart.
    public static func == (lhs: StoredTokenKey, rhs: StoredTokenKey) -> Bool {
        lhs.name == rhs.name && (lhs.subject == nil) == (rhs.subject == nil)
            && (lhs.subject ?? "").hasSameBytes(as: rhs.subject ?? "")
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        guard var subject else { return }
        subject.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A minted token as it is kept across a restart.
public struct StoredToken: Equatable, Sendable {
    public let key: StoredTokenKey
    /// A digest of all that decides what is minted: a definition with another digest never gets this token.
    public let definitionDigest: String
    public let text: Secret
    public internal(set) var generation: Generation
    /// When the request that brought it was handed to the connection.
    public let issuedAt: Moment
    /// What was left of it at ``issuedAt``.
    public let lifetime: Duration
    /// The end as the provider's clock tells it.
    public let providerExpiry: WallInstant
    /// How old it is to be when the broker gets the next one.
    public let refreshAge: Duration
    /// Which version of the long-lived secret it was minted with, where versions are kept.
    public let secretVersion: Int64?
    /// What it is good for, where the provider said so.
    public let scope: String?

    public init(
        key: StoredTokenKey,
        definitionDigest: String,
        text: Secret,
        generation: Generation,
        issuedAt: Moment,
        lifetime: Duration,
        providerExpiry: WallInstant,
        refreshAge: Duration,
        secretVersion: Int64? = nil,
        scope: String? = nil
    ) {
        self.key = key
        self.definitionDigest = definitionDigest
        self.text = text
        self.generation = generation
        self.issuedAt = issuedAt
        self.lifetime = lifetime
        self.providerExpiry = providerExpiry
        self.refreshAge = refreshAge
        self.secretVersion = secretVersion
        self.scope = scope
    }

    /// The end on both clocks; its boot instant means something only in the boot it was written in.
    public var deadline: Moment { issuedAt.advanced(by: lifetime) }
}
