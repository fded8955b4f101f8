internal import TokenBroker

/// One application at the gateway, as a provider's block describes it.
struct AppAIGatewayAccount {
    /// How the application knows its end users.
    enum User: String, CaseIterable {
        /// It does not: the key speaks for all of them.
        case none
        /// The key's holder names the user of each request in a header.
        case header
        /// Each user has a token, minted from the user's own token of the application's identity provider.
        case issuerToken = "issuer-token"
    }

    let appID: String
    let user: User
    /// The header that names the user of a request.
    let userHeader: String
    /// What the requests say the app's version is where nobody says better.
    let version: String
    /// The user as whom the key is proven; nil where none is set.
    let verifiesAs: String?

    /// - Precondition: the options are checked; the configuration has done it.
    init(_ options: Options) {
        guard let appID = options[Option.appID], let user = options[Option.user].flatMap(User.init) else {
            preconditionFailure("an application without an id: the definition was not checked")
        }
        self.appID = appID
        self.user = user
        userHeader = options[Option.userHeader] ?? Self.defaultUserHeader
        version = options[Option.appVersion].flatMap(Self.versionOnWire) ?? Product.version
        verifiesAs = options[Option.verifyAs]
    }

    func path(_ rest: String) -> String { "/v1/apps/\(appID)\(rest)" }
}

extension AppAIGatewayAccount {
    /// The names of the options.
    enum Option {
        static let appID = "app_id"
        static let user = "user"
        static let userHeader = "user_header"
        static let appVersion = "app_version"
        static let verifyAs = "verify_as"
        static let issuerTokenHeader = "issuer_token_header"
    }

    static let versionHeader = "X-App-Version"
    private static let defaultUserHeader = "X-End-User-ID"
    /// The gateway keeps no more of a version.
    private static let longestVersion = 64
    private static let userIDLengths = 1...128

    /// A user's id as the gateway takes it: no spaces, ASCII, and short.
    static func isUserID(_ text: String) -> Bool {
        userIDLengths.contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// A version cut to what the gateway keeps.
    ///
    /// - Returns: nil for an empty one, which the gateway refuses.
    static func versionOnWire(_ text: String) -> String? {
        let cut = text.drop { $0 == " " }.prefix(longestVersion)
        return cut.isEmpty ? nil : String(cut)
    }
}
