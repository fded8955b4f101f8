internal import EventLoop
internal import HTTPWire
internal import JSON
internal import Logging
internal import TokenBroker

/// The apps socket: what local programs ask for. Used on the loop's thread only.
final class AppsAPI: RequestHandler {
    /// How long a caller waits for a mint when it does not say.
    private static let usualPatience: Duration = .seconds(10)

    private let broker: Broker
    private let clock: any HostClock
    private let logger: Logger
    private var definition: BrokerDefinition
    private(set) var looksAtProcesses: Bool
    private var named: NamedPeers
    private var readyAnswers = ReadyAnswers()
    private var waitingCallers = WaitingCallers()
    private var recentAnswers = RecentAnswers()

    init(broker: Broker, clock: any HostClock, logger: Logger) {
        self.broker = broker
        self.clock = clock
        self.logger = logger
        definition = broker.definition
        looksAtProcesses = definition.looksAtProcesses
        named = NamedPeers(of: definition)
    }

    /// The broker has a new definition: grants are looked up in it from now on.
    func definitionChanged() {
        definition = broker.definition
        looksAtProcesses = definition.looksAtProcesses
        named = NamedPeers(of: definition)
        readyAnswers.removeAll()
        recentAnswers.removeAll()
    }

    func readyAnswer(to head: UnsafeRawBufferPointer, from peer: Peer) -> ReadyAnswer? {
        recentAnswers.answer(to: head, from: peer, changes: broker.changeCount, at: clock.now())
    }

    func names(_ peer: Peer) -> Bool {
        named.contains(peer)
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
        case .token(let name): return token(name, request, peer, completion)
        case .rejected(let name): return rejected(name, request, peer, completion)
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
        let tokens = definition.tokens.values
            .filter { $0.grants.admit(peer, to: .tokens) }
            .sorted { $0.name < $1.name }
            .compactMap { token -> JSONValue? in
                guard let status = broker.status(of: token.name) else { return nil }
                return [
                    "name": .string(token.name.text),
                    "kind": .string(definition.providers[token.provider]?.kind ?? ""),
                    "state": .string(status.state.rawValue),
                ]
            }
        return HTTPResponse(json: ["tokens": .array(tokens)])
    }

    // MARK: A token

    private func token(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        guard let name, admits(peer, to: name) else { return .respond(Problem.unknownToken.response) }
        let asked: TokenRequest
        do throws(InvalidRequest) {
            asked = try TokenRequest(request)
        } catch {
            return .respond(Problem.invalidRequest(error.detail).response)
        }
        let changes = broker.changeCount
        let result = broker.ask(TokenKey(name), minimum: asked.minimum) { completion(.token($0)) }
        guard case .answered(.served(let token, let isDegraded))? = result else {
            return outcome(of: result, for: name, request, peer)
        }
        if !asked.held.isEmpty, asked.held.contains(token.generation) {
            return awaitNext(after: token, of: name, request, peer, completion)
        }
        let now = clock.now()
        guard let answer = readyAnswer(with: token, isDegraded: isDegraded, for: name, at: now) else {
            return .respond(Problem.tokenEnded.response)
        }
        if asked.held.isEmpty, let head = repeatableHead(of: request, answer),
            definition.tokens[name]?.grants.admit(peer.credentialsAlone, to: .tokens) == true
        {
            recentAnswers.remember(RecentAnswer(answer, to: head, from: peer, changes: changes, for: token, at: now))
        }
        return .reply(.ready(answer))
    }

    /// The request's bytes, where whoever sends them again is to be answered in the same bytes while the token lives.
    private func repeatableHead(of request: HTTPRequest, _ answer: ReadyAnswer) -> [UInt8]? {
        guard request.method == .get, request.query == nil,
            answer.isReady(for: request, keepsAlive: request.keepsAlive)
        else { return nil }
        return request.soleHead
    }

    /// The caller holds what is served: it is told so, or waits for what comes next where it prefers that.
    private func awaitNext(
        after token: ServedToken,
        of name: Name,
        _ request: HTTPRequest,
        _ peer: Peer,
        _ completion: Completion
    ) -> Outcome {
        let notModified = HTTPResponse(status: 304, headers: [.noStore, .entityTag(token.generation.number)])
        guard let wait = Preference(request.headers).wait, wait > .zero else { return .respond(notModified) }
        let result = broker.awaitNext(after: token.generation, TokenKey(name)) { completion(.token($0)) }
        guard case .waiting(let ticket)? = result else { return outcome(of: result, for: name, request, peer) }
        let waiting = waiting(ticket, for: name, patience: min(wait, definition.limits.waitMax), peer) { [clock] in
            token.condition(at: clock.now()) == .live ? notModified : Problem.tokenEnded.response
        }
        guard var waiting else { return .respond(Problem.tooManyWaiting.response) }
        waiting.onDrain = { notModified }
        return .wait(waiting)
    }

    private func rejected(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        guard let name, admits(peer, to: name) else { return .respond(Problem.unknownToken.response) }
        let rejection: RejectionRequest
        do throws(InvalidRequest) {
            rejection = try RejectionRequest(request)
        } catch {
            return .respond(Problem.invalidRequest(error.detail).response)
        }
        let key = TokenKey(name)
        let result =
            if let text = rejection.text, rejection.isAboutToken {
                broker.reject(key, text) { completion(.token($0)) }
            } else {
                broker.ask(key, minimum: .zero) { completion(.token($0)) }
            }
        return outcome(of: result, for: name, request, peer)
    }

    private func outcome(of asked: Broker.Asked?, for name: Name, _ request: HTTPRequest, _ peer: Peer) -> Outcome {
        switch asked {
        case nil: return .respond(Problem.unknownToken.response)
        case .answered(let answer)?: return .reply(reply(to: answer, for: name))
        case .waiting(let ticket)?:
            let patience = min(Preference(request.headers).wait ?? Self.usualPatience, definition.limits.waitMax)
            guard patience > .zero else {
                broker.giveUp(ticket)
                return .respond(Problem.deadlineExceeded.response)
            }
            let waiting = waiting(ticket, for: name, patience: patience, peer) { Problem.deadlineExceeded.response }
            return waiting.map(Outcome.wait) ?? .respond(Problem.tooManyWaiting.response)
        }
    }

    /// - Returns: nil where too many callers of this user wait for the same provider already.
    private func waiting(
        _ ticket: Broker.Ticket,
        for name: Name,
        patience: Duration,
        _ peer: Peer,
        onDeadline: @escaping () -> HTTPResponse
    ) -> Waiting? {
        guard let provider = definition.tokens[name]?.provider else { preconditionFailure("admitted to no token") }
        let line = WaitingCallers.Line(uid: peer.uid, provider: provider)
        guard waitingCallers.enter(line, connections: definition.limits.connectionsPerUID) else {
            broker.giveUp(ticket)
            return nil
        }
        return Waiting(
            patience: patience,
            onResolution: { [self] in
                waitingCallers.leave(line)
                guard case .token(let answer) = $0 else { preconditionFailure("not a token's resolution") }
                // The grants may have changed while the caller waited.
                guard admits(peer, to: name) else { return .response(Problem.unknownToken.response) }
                return reply(to: answer, for: name)
            },
            onDeadline: onDeadline,
            onAbandoned: { [self] in
                waitingCallers.leave(line)
                broker.giveUp(ticket)
            }
        )
    }

    private func reply(to answer: TokenAnswer, for name: Name) -> Reply {
        switch answer {
        case .served(let token, let isDegraded):
            return readyAnswer(with: token, isDegraded: isDegraded, for: name, at: clock.now()).map(Reply.ready)
                ?? .response(Problem.tokenEnded.response)
        case .failed(let failure, let retryAfter):
            return .response(Problem(failure, retryAfter: retryAfter).response)
        case .tooManyRejections(let retryAfter):
            return .response(Problem.tooManyRejections(retryAfter: retryAfter).response)
        case .notStale:
            return .response(Problem.tokenNotStale.response)
        case .withdrawn:
            return .response(Problem.unknownToken.response)
        }
    }

    /// - Returns: nil where the token ended on its way, as it may while the host sleeps.
    private func readyAnswer(
        with token: ServedToken,
        isDegraded: Bool,
        for name: Name,
        at now: Moment
    ) -> ReadyAnswer? {
        guard token.condition(at: now) == .live else { return nil }
        return readyAnswers.answer(for: TokenDocument(name: name, token: token, isDegraded: isDegraded), at: now)
    }

    private func admits(_ peer: Peer, to name: Name) -> Bool {
        let token = definition.tokens[name]
        let denial = token.map { $0.grants.denial(of: peer, to: .tokens) } ?? .grant
        guard let denial else { return true }
        logger.info(
            "Token denied",
            [
                .token: .string(name.text), .peerUID: LogValue(peer.uid), .peerPID: LogValue(peer.pid),
                .reason: token == nil ? "no such token" : .string(denial.explanation),
            ]
        )
        return false
    }
}

extension Denial {
    /// For the log; the caller is told nothing of it.
    fileprivate var explanation: String {
        switch self {
        case .grant: "not allowed: no grant"
        case .user: "not allowed: another user"
        case .group: "not allowed: not in the group"
        case .surface: "not allowed: not for this surface"
        case .process: "not allowed: the process is unknown or not what it was when it connected"
        case .unit: "not allowed: another unit"
        case .executable: "not allowed: another executable"
        }
    }
}
