/// What a token's credential is, and what of the end user it needs: decided by its kind of provider and both blocks'
/// options.
public struct CredentialForm: Hashable, Sendable {
    /// What has to be known of the end user, and when.
    public enum User: Hashable, Sendable {
        /// Nothing: all callers share the credential.
        case none
        /// Nothing for the credential, which all share; each request of the app names its user beside it.
        case named
        /// The app's id of the user: each has a token of its own.
        case endUser
        /// The user's token from the app's identity provider, for which each user has a token of its own.
        ///
        /// `header` is where forward-auth and routes read it.
        case issuerToken(header: String)

        /// Whether one name stands for many tokens.
        public var hasOwnToken: Bool {
            switch self {
            case .none, .named: false
            case .endUser, .issuerToken: true
            }
        }
    }

    /// Whether the credential is the long-lived key itself, which is handed out only where the configuration says so.
    public let isSecret: Bool
    public let user: User
    /// The app's id of the one user whom a shared credential is for, where the configuration names one.
    public let fixedUser: String?
    /// Whether the headers of a request depend on its body.
    public let signsBody: Bool
    /// Whether a request carries the account's long-lived key beside a token minted with it: a key that is public anyway.
    public let accompaniesSecret: Bool

    public init(
        isSecret: Bool = false,
        user: User = .none,
        fixedUser: String? = nil,
        signsBody: Bool = false,
        accompaniesSecret: Bool = false
    ) {
        self.isSecret = isSecret
        self.user = user
        self.fixedUser = fixedUser
        self.signsBody = signsBody
        self.accompaniesSecret = accompaniesSecret
    }
}
