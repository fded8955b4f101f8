internal import JSON
internal import TokenBroker
internal import Upstream

/// The requests that the broker itself makes of the gateway.
struct AppAIGatewayAPI {
    let account: AppAIGatewayAccount
    let sender: any HTTPSender

    /// `POST …/auth/token` with exactly the two members that are read: one more is refused.
    ///
    /// May be sent twice: a second exchange gives one more token of the same user, takes no other one away, and costs
    /// one of the minute's 60. Not to allow it would cost each exchange a connection of its own.
    func exchange(_ issuerToken: TokenText, secret: Secret) async throws(MintFailure) -> ProviderAnswer {
        let body: JSONValue = [
            "api_key": .string(secret.withBytes { String(decoding: $0, as: UTF8.self) }),
            "issuer_token": .string(issuerToken.revealed),
        ]
        let request = UpstreamRequest(
            .post,
            path: account.path("/auth/token"),
            headers: [
                .init("Content-Type", "application/json"),
                .init("Accept", "application/json"),
                .init(AppAIGatewayAccount.versionHeader, account.version),
            ],
            body: body.serialized(),
            isReplayable: true
        )
        return try await send(request, secrets: [secret, Secret(issuerToken.revealed.utf8)])
    }

    /// `GET …/me`, which only a valid key gets past.
    ///
    /// - Parameter user: as whom, for an application whose users are named in a header.
    func me(as user: String?, secret: Secret) async throws(MintFailure) -> ProviderAnswer {
        var headers: [UpstreamRequest.Header] = [
            .init("Authorization", .bearer(secret)),
            .init("Accept", "application/json"),
            .init(AppAIGatewayAccount.versionHeader, account.version),
        ]
        if let user { headers.append(.init(account.userHeader, user)) }
        let request = UpstreamRequest(.get, path: account.path("/me"), headers: headers, isReplayable: true)
        return try await send(request, secrets: [secret])
    }

    private func send(_ request: UpstreamRequest, secrets: [Secret]) async throws(MintFailure) -> ProviderAnswer {
        do throws(UpstreamFailure) {
            return ProviderAnswer(try await sender.send(request), secrets: secrets)
        } catch {
            throw MintFailure(error)
        }
    }
}
