internal import EventLoop
internal import HTTPWire
internal import JSON
internal import TokenBroker

/// The apps socket: what local programs ask for. Used on the loop's thread only.
final class AppsAPI: RequestHandler {
    private let desk: CredentialDesk
    private let tokens: TokenSurface
    private let authorize: AuthorizeSurface
    private let forwardAuth: ForwardAuthSurface
    private let routes: RouteSurface
    private let attest: AttestSurface
    private(set) var looksAtProcesses: Bool
    private var named: NamedPeers

    init(
        broker: Broker,
        gate: DeviceGate,
        verdicts: DeviceVerdictCounters,
        clock: any HostClock,
        audit: any AuditLog
    ) {
        desk = CredentialDesk(broker: broker, clock: clock, audit: audit)
        tokens = TokenSurface(desk: desk)
        authorize = AuthorizeSurface(desk: desk)
        forwardAuth = ForwardAuthSurface(desk: desk)
        routes = RouteSurface(desk: desk, gate: RouteGate(gate: gate, verdicts: verdicts))
        attest = AttestSurface(desk: desk, gate: gate)
        looksAtProcesses = desk.definition.looksAtProcesses
        named = NamedPeers(of: desk.definition)
    }

    /// The broker has a new definition: grants are looked up in it from now on.
    func definitionChanged() {
        desk.definitionChanged()
        tokens.definitionChanged()
        looksAtProcesses = desk.definition.looksAtProcesses
        named = NamedPeers(of: desk.definition)
    }

    func readyAnswer(to head: UnsafeRawBufferPointer, from peer: Peer) -> ReadyAnswer? {
        tokens.readyAnswer(to: head, from: peer)
    }

    func names(_ peer: Peer) -> Bool {
        named.contains(peer)
    }

    func audience(ofPath beginning: [UInt8]) -> Problem.Audience {
        AppsPath(beginning[...])?.audience ?? .programs
    }

    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome {
        guard let path = AppsPath(request.path) else { return .respond(Problem.notFound.response) }
        guard path.methods.contains(request.method) else {
            return .respond(Problem.methodNotAllowed(path.methods.allow).response)
        }
        switch path {
        case .health: return .respond(HTTPResponse(json: ["status": "ok"]))
        case .whoami: return .respond(whoami(peer))
        case .tokens: return .respond(list(for: peer))
        case .token(let name): return tokens.token(name, request, peer, completion)
        case .rejected(let name): return tokens.rejected(name, request, peer, completion)
        case .authorize(let name): return authorize.respond(name, request, peer, completion)
        case .forwardAuth(let name, let rest): return forwardAuth.respond(name, rest, request, peer, completion)
        case .route(let name): return routes.token(name, request, peer, completion)
        case .routeRejected(let name): return routes.rejected(name, request, peer, completion)
        case .attestChallenge(let name): return attest.challenge(name, request, peer)
        case .attestRegister(let name): return attest.register(name, request, peer, completion)
        }
    }

    /// Where grants look at processes, what they would see; else what they would if they did.
    private func whoami(_ peer: Peer) -> HTTPResponse {
        let process =
            looksAtProcesses
            ? peer.process?.look()
            : (try? PeerProcess(number: peer.pid, user: peer.uid)).map(PeerProcessFacts.init)
        return HTTPResponse(json: [
            "uid": .number(JSONNumber(Int64(peer.uid))),
            "gid": .number(JSONNumber(Int64(peer.gid))),
            "groups": .array(peer.supplementaryGroups.map { .number(JSONNumber(Int64($0))) }),
            "pid": .number(JSONNumber(Int64(peer.pid))),
            "unit": process?.unit.map(JSONValue.string) ?? nil,
            "executable": process?.executablePath.map(JSONValue.string) ?? nil,
        ])
    }

    private func list(for peer: Peer) -> HTTPResponse {
        let peer = peer.seenOnce()
        let definition = desk.definition
        let tokens = definition.tokens.values
            .filter { $0.grants.admit(peer, to: .tokens) }
            .sorted { $0.name < $1.name }
            .compactMap { token -> JSONValue? in
                guard let status = desk.broker.status(of: token.name) else { return nil }
                return [
                    "name": .string(token.name.text),
                    "kind": .string(definition.providers[token.provider]?.kind ?? ""),
                    "state": .string(status.state.rawValue),
                ]
            }
        return HTTPResponse(json: ["tokens": .array(tokens)])
    }
}
