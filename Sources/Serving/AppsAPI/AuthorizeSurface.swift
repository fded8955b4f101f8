internal import HTTPWire
internal import JSON
internal import TokenBroker

/// `/v1/authorize/NAME`: every header that a request to the provider needs.
struct AuthorizeSurface {
    let desk: CredentialDesk

    func respond(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        let door = Door(surface: .authorize)
        guard let token = desk.token(name, for: peer, at: door), let account = desk.definition.providers[token.provider]
        else { return .respond(Problem.unknownToken.response) }
        guard token.mayBeSeen else { return .respond(Problem.secretNotForPeers.response) }
        let user: CallUser
        let appRequest: AppRequest
        do throws(InvalidRequest) {
            let asked = try AuthorizeRequest(request)
            user = try asked.claim.user(for: token.credential, namesUser: true)
            appRequest = try asked.appRequest(for: user, baseURL: account.baseURL, at: desk.clock.now())
        } catch {
            return .respond(Problem(error).response)
        }
        guard !token.credential.signsBody || appRequest.bodyDigest != nil else {
            return .respond(Problem.bodyRequired.response)
        }
        let call = CredentialCall(
            name: token.name,
            peer: peer,
            door: door,
            user: user,
            wish: .atLeast(.zero),
            patience: Preference(request.headers).wait ?? TokenSurface.usualPatience,
            audience: .programs
        ) { [desk] served, _, now in
            .response(desk.headers(for: appRequest, token.name, served, .programs) { Self.document($0, served, now) })
        }
        return desk.perform(call, completion)
    }

    private static func document(_ headers: [CredentialHeader], _ token: ServedToken, _ now: Moment) -> HTTPResponse {
        var members = JSONObject()
        for header in headers { members[header.name] = .string(header.value) }
        let end: JSONValue =
            token.isEndless ? .null : .number(JSONNumber(token.expiry(onHostClockAt: now).unixSeconds))
        return HTTPResponse(json: ["headers": .object(members), "expires_at": end])
    }
}

extension CredentialDesk {
    /// The answer with the headers of `request`, or why there are none.
    func headers(
        for request: AppRequest,
        _ name: Name,
        _ token: ServedToken,
        _ audience: Problem.Audience,
        answer: ([CredentialHeader]) -> HTTPResponse
    ) -> HTTPResponse {
        do throws(AuthorizationRefusal) {
            guard let headers = try broker.headers(for: request, name, credential: token.text) else {
                return Problem.unknownToken.response(for: audience)
            }
            return answer(headers)
        } catch {
            switch error {
            case .fault(let fault): return Problem.invalidRequest(fault.detail).response(for: audience)
            case .secret(let failure): return Problem(failure, retryAfter: 1).response(for: audience)
            }
        }
    }
}
