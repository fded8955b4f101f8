internal import HTTPWire
internal import TokenBroker

/// `/routes/ROUTE` and `/routes/ROUTE/rejected`: a token as an app's SDK reads it.
///
/// The app's request comes through a proxy as it is: nothing in it chooses a user, a lifetime or a wait but what the
/// configuration names.
struct RouteSurface {
    let desk: CredentialDesk
    let gate: RouteGate

    private typealias Asked = (CredentialCall.Wish, UserClaim)
    private typealias Reading = (RouteDefinition, HTTPRequest) throws(InvalidRequest) -> Asked

    func token(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        respond(name, request, peer, completion, isRejection: false) { route, _ in
            (.atLeast(route.minimum), UserClaim())
        }
    }

    func rejected(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        respond(name, request, peer, completion, isRejection: true) { _, request throws(InvalidRequest) in
            let rejection = try RejectionRequest(route: request)
            return (rejection.wish, rejection.claim)
        }
    }

    private func respond(
        _ name: Name?,
        _ request: HTTPRequest,
        _ peer: Peer,
        _ completion: Completion,
        isRejection: Bool,
        read: @escaping Reading
    ) -> Outcome {
        let route = name.flatMap { desk.definition.routes[$0] }
        let door = Door(surface: .routes, grants: route?.grants)
        guard desk.token(route?.token, for: peer, at: door) != nil, let route else {
            return .respond(Problem.unknownToken.response(for: .apps))
        }
        return gate.pass(request, to: route, isRejection: isRejection, from: peer, completion) { device, completion in
            serve(route.name, request, peer, completion, device, read)
        }
    }

    /// Looks all up anew: it may have changed while the device was verified.
    private func serve(
        _ name: Name,
        _ request: HTTPRequest,
        _ peer: Peer,
        _ completion: Completion,
        _ device: DeviceID?,
        _ read: Reading
    ) -> Outcome {
        let route = desk.definition.routes[name]
        let door = Door(surface: .routes, grants: route?.grants)
        guard let token = desk.token(route?.token, for: peer, at: door), let route else {
            return .respond(Problem.unknownToken.response(for: .apps))
        }
        do throws(InvalidRequest) {
            let (wish, claim) = try read(route, request)
            guard claim.id == nil, claim.issuerToken == nil else {
                throw InvalidRequest("the user of a route is not named in the body")
            }
            let user = try UserClaim(request, device, of: token, by: route.userSource).user(for: token.credential)
            let call = CredentialCall(
                name: token.name,
                peer: peer,
                door: door,
                user: user,
                wish: wish,
                patience: route.wait,
                audience: .apps
            ) { served, _, now in
                let endUser = user.id ?? token.credential.fixedUser
                return .response(RouteDocument(route, served, endUser: endUser, at: now).response)
            }
            return desk.perform(call, completion)
        } catch {
            return .respond(Problem(error).response(for: .apps))
        }
    }
}

extension UserClaim {
    fileprivate init(
        _ request: HTTPRequest,
        _ device: DeviceID?,
        of token: TokenDefinition,
        by source: RouteDefinition.UserSource?
    ) throws(InvalidRequest) {
        if case .issuerToken(let header) = token.credential.user {
            issuerToken = try request.headers.sole(header)?.withoutBearer
        }
        switch source {
        case nil: break
        case .device: id = device?.text
        case .header(let name): id = try request.headers.sole(name)
        case .query(let name):
            guard let items = QueryItems(parsing: request.query ?? []) else {
                throw InvalidRequest("the query is not well-formed")
            }
            let values = items.values(name)
            guard values.count <= 1 else { throw InvalidRequest("the parameter \(name) occurs more than once") }
            id = values.first.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
