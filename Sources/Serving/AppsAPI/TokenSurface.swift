internal import HTTPWire
internal import TokenBroker

/// `/v1/tokens/NAME` and `/v1/tokens/NAME/rejected`. Used on the loop's thread only.
final class TokenSurface {
    /// How long a caller waits for a mint when it does not say.
    static let usualPatience: Duration = .seconds(10)

    private let desk: CredentialDesk
    private let door = Door(surface: .tokens)
    private var readyAnswers = ReadyAnswers()
    private var recentAnswers = RecentAnswers()

    init(desk: CredentialDesk) {
        self.desk = desk
    }

    func definitionChanged() {
        readyAnswers.removeAll()
        recentAnswers.removeAll()
    }

    func readyAnswer(to head: UnsafeRawBufferPointer, from peer: Peer) -> ReadyAnswer? {
        recentAnswers.answer(to: head, from: peer, changes: desk.broker.changeCount, at: desk.clock.now())
    }

    func token(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        guard let token = desk.token(name, for: peer, at: door) else { return .respond(Problem.unknownToken.response) }
        let asked: TokenRequest
        let call: CredentialCall
        do throws(InvalidRequest) {
            asked = try TokenRequest(request)
            call = self.call(
                token,
                user: try asked.claim.user(for: token.credential),
                .atLeast(asked.minimum),
                request,
                peer
            )
        } catch {
            return .respond(Problem(error).response)
        }
        guard token.mayBeSeen else { return .respond(Problem.secretNotForPeers.response) }
        let changes = desk.broker.changeCount
        let key = TokenKey(token.name, call.user.subject)
        let result = desk.broker.ask(key, minimum: asked.minimum, details: call.user.details) {
            completion(.token($0))
        }
        guard case .answered(.served(let served, let isDegraded))? = result else {
            return desk.outcome(of: result, call, completion)
        }
        if !asked.held.isEmpty, asked.held.contains(served.generation) {
            return awaitNext(after: served, call, request, completion)
        }
        let now = desk.clock.now()
        guard served.condition(at: now) == .live else { return .respond(Problem.tokenEnded.response) }
        guard key.subject == nil else { return .reply(call.present(served, isDegraded, now)) }
        let answer = readyAnswers.answer(
            for: TokenDocument(name: token.name, token: served, isDegraded: isDegraded),
            at: now
        )
        if asked.held.isEmpty, let head = repeatableHead(of: request, answer),
            token.grants.admit(peer.credentialsAlone, to: .tokens)
        {
            recentAnswers.remember(RecentAnswer(answer, to: head, from: peer, changes: changes, for: served, at: now))
        }
        return .reply(.ready(answer))
    }

    func rejected(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        guard let token = desk.token(name, for: peer, at: door) else { return .respond(Problem.unknownToken.response) }
        guard token.mayBeSeen else { return .respond(Problem.secretNotForPeers.response) }
        do throws(InvalidRequest) {
            let rejection = try RejectionRequest(request)
            let user = try rejection.claim.user(for: token.credential)
            return desk.perform(call(token, user: user, rejection.wish, request, peer), completion)
        } catch {
            return .respond(Problem(error).response)
        }
    }

    private func call(
        _ token: TokenDefinition,
        user: CallUser,
        _ wish: CredentialCall.Wish,
        _ request: HTTPRequest,
        _ peer: Peer
    ) -> CredentialCall {
        CredentialCall(
            name: token.name,
            peer: peer,
            door: door,
            user: user,
            wish: wish,
            patience: Preference(request.headers).wait ?? Self.usualPatience,
            audience: .programs
        ) { served, isDegraded, now in
            .response(TokenDocument(name: token.name, token: served, isDegraded: isDegraded).response(at: now))
        }
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
        _ call: CredentialCall,
        _ request: HTTPRequest,
        _ completion: Completion
    ) -> Outcome {
        let notModified = HTTPResponse(status: 304, headers: [.noStore, .entityTag(token.generation.number)])
        guard let wait = Preference(request.headers).wait, wait > .zero else { return .respond(notModified) }
        let key = TokenKey(call.name, call.user.subject)
        let result = desk.broker.awaitNext(after: token.generation, key, details: call.user.details) {
            completion(.token($0))
        }
        guard case .waiting(let ticket)? = result else {
            return desk.outcome(of: result, call, completion)
        }
        let patience = min(wait, desk.definition.limits.waitMax)
        return desk.wait(for: ticket, call, patience: patience, completion, onDrain: { notModified }) { [desk] in
            token.condition(at: desk.clock.now()) == .live ? .response(notModified) : desk.replyAtOnce(to: call)
        }
    }
}

extension TokenDefinition {
    /// Whether peers may see the credential at all.
    var mayBeSeen: Bool { !credential.isSecret || revealsSecret }
}
