/// A request that an app is about to send to a provider, as far as its credential depends on it.
public struct AppRequest: Sendable {
    /// In capitals, as it goes onto the wire.
    public let method: String
    /// The request's path with its query, as it goes onto the wire; nil where it is not known.
    public let target: String?
    /// SHA-256 of the body's bytes; nil where it is not known.
    public let bodyDigest: [UInt8]?
    /// The app's id of the end user.
    public let endUser: String?
    /// The version of the app, for providers that ask for it.
    public let appVersion: String?
    /// The host's present moment.
    public let moment: Moment

    public init(
        method: String,
        target: String? = nil,
        bodyDigest: [UInt8]? = nil,
        endUser: String? = nil,
        appVersion: String? = nil,
        at moment: Moment
    ) {
        self.method = method
        self.target = target
        self.bodyDigest = bodyDigest
        self.endUser = endUser
        self.appVersion = appVersion
        self.moment = moment
    }
}

/// A header that a request needs to be let in.
public struct CredentialHeader: Hashable, Sendable {
    public let name: String
    /// 1 or more bytes 0x20–0x7E; may be secret.
    public let value: String

    /// - Precondition: the name is a token of RFC 9110 and the value has visible characters and spaces only; a provider
    ///   checks what comes from outside before.
    public init(_ name: String, _ value: String) {
        precondition(!value.isEmpty && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "not a header's value")
        self.name = name
        self.value = value
    }

    public static func bearer(_ credential: TokenText) -> CredentialHeader {
        CredentialHeader("Authorization", "Bearer \(credential.revealed)")
    }
}

/// What a request lacks, in words for the caller.
public struct AuthorizationFault: Error, Equatable {
    public let detail: String

    public init(_ detail: String) {
        self.detail = detail
    }
}
