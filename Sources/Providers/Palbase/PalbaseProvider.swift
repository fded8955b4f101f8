internal import TokenBroker

/// Palbase: with `session`, access tokens of a user's session, minted by its single-use refresh token; without it, the
/// project's service key as it is.
///
/// Source: the SDK palgroup/palbase-ios, HttpClient.swift and TokenManager.swift; there is no published description.
struct PalbaseProvider: Provider {
    static let kind = ProviderKind(
        name: "palbase",
        address: .derived(fromOption: project) { "https://\($0).palbase.studio" },
        providerOptions: [
            OptionDeclaration(project, .text, isRequired: true),
            OptionDeclaration(session, .singleUseSecret),
        ],
        secretPrefix: ProjectKey.prefix,
        // A machine's token, for tools.
        wrongSecretPrefixes: ["pat_"],
        credential: { provider, _ in
            provider[session] == nil ? CredentialForm(isSecret: true) : CredentialForm(accompaniesSecret: true)
        },
        pace: { provider in provider[session].map { _ in sessionPace } },
        fault: { provider in
            guard let ref = provider[project], !isRef(ref) else { return nil }
            return "\(project) takes a project's ref: small letters, digits and hyphens"
        }
    )

    static let keyHeader = "apikey"

    private static let project = "project"
    static let session = "session"

    /// A session may refresh 30 times a minute; a few are left for its other users.
    private static let sessionPace = MintPace(limit: 25, newcomers: 25, window: .seconds(60))

    let endpoint: RefreshEndpoint
    private let clock: any HostClock
    /// Whether tokens are a session's.
    let isSession: Bool
    private let chain: PalbaseSession?

    init(_ account: ProviderDefinition, _ ports: ProviderPorts) {
        endpoint = RefreshEndpoint(sender: ports.sender)
        clock = ports.clock
        isSession = account.options[Self.session] != nil
        chain = isSession ? PalbaseSession(account, ports) : nil
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        try isSession ? await accessToken(request) : await serviceKey(request)
    }

    func headers(
        for request: AppRequest,
        credential: TokenText,
        secret: Secret?
    ) throws(AuthorizationFault) -> [CredentialHeader] {
        guard isSession else { return [CredentialHeader(Self.keyHeader, credential.revealed)] }
        guard let key = secret.flatMap(ProjectKey.init), key.scope == .publishable else {
            throw AuthorizationFault("the provider's secret is not a publishable key, and is not handed out")
        }
        return [CredentialHeader(Self.keyHeader, key.text), .bearer(credential)]
    }

    private func accessToken(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let missing = SecretProblem(.missing, "the secret that session names was not read")
        return try await chain(for: request).mint(
            seed: request.secretsByOption[Self.session] ?? .failure(missing),
            key: request.secret
        )
    }

    /// The session, where what it needs beside its seed is there.
    func chain(for request: MintRequest) throws(MintFailure) -> PalbaseSession {
        guard ProjectKey(request.secret)?.scope == .publishable else {
            throw MintFailure(.secretUnavailable, detail: ProjectKey.publishableWanted)
        }
        guard let chain else {
            throw MintFailure(
                .secretUnavailable,
                detail: "a session's refresh tokens have to be kept: configure store"
            )
        }
        return chain
    }

    private func serviceKey(_ request: MintRequest) async throws(MintFailure) -> Mint {
        guard ProjectKey(request.secret)?.scope != .publishable,
            let text = request.secret.withBytes({ TokenText(String(decoding: $0, as: UTF8.self)) })
        else {
            throw MintFailure(.secretUnavailable, detail: ProjectKey.serviceWanted)
        }
        let now = clock.now()
        if request.isForced { try await endpoint.prove(request.secret) }
        return Mint(text: text, expiry: .never, requestedAt: now)
    }

    /// A label of a domain name, as which it goes into the address.
    private static func isRef(_ text: String) -> Bool {
        let hasOnlyItsBytes = text.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
        return hasOnlyItsBytes && (1...63).contains(text.utf8.count) && text.first != "-" && text.last != "-"
    }
}
