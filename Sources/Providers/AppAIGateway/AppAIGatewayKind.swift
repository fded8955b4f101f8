internal import TokenBroker

extension AppAIGatewayProvider {
    private typealias Account = AppAIGatewayAccount
    private typealias Option = AppAIGatewayAccount.Option

    static let kind = ProviderKind(
        name: "app-ai-gateway",
        address: .publicService("https://api.appaigateway.com"),
        providerOptions: [
            OptionDeclaration(Option.appID, .text, isRequired: true),
            OptionDeclaration(Option.user, .choice(Account.User.allCases.map(\.rawValue)), isRequired: true),
            OptionDeclaration(Option.userHeader, .headerName),
            OptionDeclaration(Option.appVersion, .headerValue),
            OptionDeclaration(Option.verifyAs, .headerValue),
            .management,
        ],
        tokenOptions: [OptionDeclaration(Option.issuerTokenHeader, .headerName)],
        secretPrefix: "agw_",
        // A key of the management API also begins with agw_.
        wrongSecretPrefixes: ["agw_mgmt_"],
        quotaCodes: AppAIGatewayAnswer.quotaCodes,
        credential: { provider, token in
            switch provider[Option.user].flatMap(Account.User.init) {
            case .issuerToken:
                CredentialForm(user: .issuerToken(header: token[Option.issuerTokenHeader] ?? "Authorization"))
            case .header: CredentialForm(isSecret: true, user: .named)
            case .none?, nil: CredentialForm(isSecret: true)
            }
        },
        pace: { $0[Option.user] == Account.User.issuerToken.rawValue ? exchangePace : nil },
        fault: fault,
        tokenFault: { provider, token in
            guard token[Option.issuerTokenHeader] != nil, provider[Option.user] != Account.User.issuerToken.rawValue
            else { return nil }
            return "\(Option.issuerTokenHeader): goes with a provider with user: issuer-token only"
        }
    )

    /// The gateway lets an application exchange 60 tokens in a minute from one address, in windows that begin with the
    /// minute by its clock. In any 60 seconds we stay below that: what is left over is for checks of the key.
    private static let exchangePace = MintPace(limit: 54, newcomers: 45, window: .seconds(60))

    /// What the gateway does not take as the header of a user's id, because it means something else there.
    private static let takenHeaders: Set<String> = [
        "authorization", "content-length", "content-type", "host", "x-api-key", "x-app-version", "x-goog-api-key",
    ]

    private static func fault(_ options: Options) -> String? {
        if let appID = options[Option.appID], !isAppID(appID) {
            return "\(Option.appID): expected the application's id at the gateway: a-z, 0-9 and -, 63 at most"
        }
        if options[Option.user] != Account.User.header.rawValue {
            let stray = [Option.userHeader, Option.verifyAs].first { options[$0] != nil }
            return stray.map { "\($0): goes with user: header only" }
        }
        if let header = options[Option.userHeader], takenHeaders.contains(header.lowercased()) {
            return "\(Option.userHeader): the gateway takes \(header) for something else"
        }
        if let user = options[Option.verifyAs], !Account.isUserID(user) {
            return "\(Option.verifyAs): expected a user's id: up to 128 visible ASCII characters without spaces"
        }
        return nil
    }

    /// The id becomes a part of the path.
    private static func isAppID(_ text: String) -> Bool {
        (1...63).contains(text.utf8.count) && text.first != "-"
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
            }
    }
}
