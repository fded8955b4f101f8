internal import HTTPWire
internal import TokenBroker

/// `/v1/forward-auth/NAME`: the same headers as answer headers, which proxies copy into the request that they pass on.
struct ForwardAuthSurface {
    let desk: CredentialDesk

    /// - Parameter rest: what follows the name in the path.
    func respond(
        _ name: Name?,
        _ rest: ArraySlice<UInt8>,
        _ request: HTTPRequest,
        _ peer: Peer,
        _ completion: Completion
    ) -> Outcome {
        let door = Door(surface: .forwardAuth)
        guard let token = desk.token(name, for: peer, at: door) else { return refuse(.unknownToken) }
        guard token.mayBeSeen else { return refuse(.secretNotForPeers) }
        let original: ForwardedRequest
        let user: CallUser
        do throws(InvalidRequest) {
            original = try ForwardedRequest(request, rest: rest)
            user = try UserClaim(request.headers, of: token).user(for: token.credential, namesUser: true)
        } catch {
            return refuse(Problem(error))
        }
        guard !token.credential.signsBody || original.bodyDigest != nil else { return refuse(.bodyRequired) }
        let appRequest = AppRequest(
            method: original.method,
            target: original.target,
            bodyDigest: original.bodyDigest,
            endUser: user.id,
            appVersion: original.appVersion,
            at: desk.clock.now()
        )
        let call = CredentialCall(
            name: token.name,
            peer: peer,
            door: door,
            user: user,
            wish: original.rejected.map { .another(than: $0, providerCode: nil) } ?? .atLeast(.zero),
            patience: TokenSurface.usualPatience,
            audience: .proxies
        ) { [desk] served, _, _ in
            .response(desk.headers(for: appRequest, token.name, served, .proxies, answer: Self.answer))
        }
        return desk.perform(call, completion)
    }

    private static func answer(_ headers: [CredentialHeader]) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [.noStore] + headers.map(HeaderField.init))
    }

    private func refuse(_ problem: Problem) -> Outcome {
        .respond(problem.response(for: .proxies))
    }
}

extension UserClaim {
    /// Reads the user where the configuration says that the proxy puts it, and nowhere else.
    init(_ headers: HeaderFields, of token: TokenDefinition) throws(InvalidRequest) {
        switch token.credential.user {
        case .none: break
        case .named, .endUser:
            guard let name = token.endUserHeader else { return }
            id = try headers.sole(name)
        case .issuerToken(let header): issuerToken = try headers.sole(header)?.withoutBearer
        }
    }
}
