/// What a caller tells of an end user that sets no token apart from another, and that a mint may need.
///
/// A class, because most entries of the cache have none.
public final class SubjectDetails: Sendable {
    /// Facts about the user for the provider: one JSON object as text.
    public let attributes: String?
    /// The user's token from the app's identity provider.
    public let issuerToken: IssuerToken?

    public init(attributes: String? = nil, issuerToken: IssuerToken? = nil) {
        self.attributes = attributes
        self.issuerToken = issuerToken
    }

    var bytes: Int { (attributes?.utf8.count ?? 0) + (issuerToken?.text.count ?? 0) }
}

/// The token of an end user from the app's identity provider. Kept in memory while it lives, and never stored.
public struct IssuerToken: Sendable {
    public static let maximumLength = 16 * 1024
    /// For how long one is used whose end cannot be seen.
    static let opaqueLifetime: Duration = .seconds(300)

    public let text: TokenText
    /// The end that it states. Nobody has verified it here, so that it may shorten the token's use and never lengthen it.
    public let statedEnd: WallInstant?

    public init(_ text: TokenText, statedEnd: WallInstant?) {
        self.text = text
        self.statedEnd = statedEnd
    }

    /// How long it may still be used.
    ///
    /// - Parameter issuerTime: what the clocks of others show now; this host's may be wrong.
    func remaining(at issuerTime: WallInstant) -> Duration {
        statedEnd.map { $0.since(issuerTime) } ?? Self.opaqueLifetime
    }
}
