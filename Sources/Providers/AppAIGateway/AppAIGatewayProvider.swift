internal import TokenBroker
internal import Upstream

/// App AI Gateway: an application's key either is the credential, or mints one for each user from the user's issuer token
/// (`POST /v1/apps/{app}/auth/token`); the application's configuration at the gateway says which.
///
/// Source: https://github.com/maxceem/app-ai-gateway
struct AppAIGatewayProvider: Provider {
    private let account: AppAIGatewayAccount
    private let api: AppAIGatewayAPI
    private let clock: any HostClock
    private let keyCheck: AppAIGatewayKeyCheck
    let keyIssuer: (any KeyIssuer)?

    init(_ definition: ProviderDefinition, _ ports: ProviderPorts) {
        account = AppAIGatewayAccount(definition.options)
        api = AppAIGatewayAPI(account: account, sender: ports.sender)
        clock = ports.clock
        keyCheck = AppAIGatewayKeyCheck(api, clock: ports.clock)
        keyIssuer = AppAIGatewayKeys(account: account, sender: ports.sender)
    }

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        switch account.user {
        case .issuerToken: try await exchange(request)
        case .none, .header: try await key(request)
        }
    }

    func verify(_ request: MintRequest) async throws(MintFailure) -> Mint? {
        guard account.user == .issuerToken else { return try await key(request) }
        switch await keyCheck.freshVerdict(on: request.secret) {
        case .good: return nil
        case .refused(let failure), .unknown(let failure): throw failure
        }
    }

    /// The version goes along whatever the credential is: a request with a user's token is refused without it.
    func headers(
        for request: AppRequest,
        credential: TokenText,
        secret: Secret?
    ) throws(AuthorizationFault) -> [CredentialHeader] {
        var headers = [CredentialHeader.bearer(credential)]
        if account.user == .header {
            headers.append(CredentialHeader(account.userHeader, try userID(of: request)))
        }
        headers.append(CredentialHeader(AppAIGatewayAccount.versionHeader, try version(of: request)))
        return headers
    }

    // MARK: Minting

    private func key(_ request: MintRequest) async throws(MintFailure) -> Mint {
        let key = try request.secretAsCredential()
        guard request.isForced else { return Mint(text: key, expiry: .never, requestedAt: clock.now()) }
        if account.user == .header, account.verifiesAs == nil {
            throw MintFailure(
                .requestRejected,
                detail: "the key cannot be checked without a user: put a user's id into verify_as of the provider"
            )
        }
        let answer = try await api.me(as: account.verifiesAs, secret: request.secret)
        try AppAIGatewayAnswer(answer).requireGoodKey()
        return answer.mint(key, .never)
    }

    private func exchange(_ request: MintRequest) async throws(MintFailure) -> Mint {
        guard let issuerToken = request.details?.issuerToken else {
            throw MintFailure(.userRefused, detail: "the user's issuer token is not there; it has to be sent again")
        }
        let answer = AppAIGatewayAnswer(try await api.exchange(issuerToken.text, secret: request.secret))
        guard !answer.refusesCredentials else {
            throw answer.failure(await keyCheck.verdict(on: request.secret))
        }
        return try answer.mint()
    }

    // MARK: Headers

    private func userID(of request: AppRequest) throws(AuthorizationFault) -> String {
        guard let user = request.endUser else { throw AuthorizationFault("the request needs its end user") }
        guard AppAIGatewayAccount.isUserID(user) else {
            throw AuthorizationFault("the end user's id has more than 128 characters, or one that is not visible ASCII")
        }
        return user
    }

    private func version(of request: AppRequest) throws(AuthorizationFault) -> String {
        guard let version = request.appVersion.flatMap(AppAIGatewayAccount.versionOnWire) else {
            return account.version
        }
        guard version.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw AuthorizationFault("the app's version has a character that a header cannot carry")
        }
        return version
    }
}
