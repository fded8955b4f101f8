internal import HTTPWire
internal import TokenBroker

/// Gets credentials from the broker for callers, at once or later. Used on the loop's thread only.
final class CredentialDesk {
    let broker: Broker
    let clock: any HostClock
    private let audit: any AuditLog
    private(set) var definition: BrokerDefinition
    private var waitingCallers = WaitingCallers()

    init(broker: Broker, clock: any HostClock, audit: any AuditLog) {
        self.broker = broker
        self.clock = clock
        self.audit = audit
        definition = broker.definition
    }

    /// The broker has a new definition: grants are looked up in it from now on.
    func definitionChanged() {
        definition = broker.definition
    }

    /// The token of that name, where it exists and the peer may use it; who may not is told the same as of one that does
    /// not exist, and the audit log knows which.
    func token(_ name: Name?, for peer: Peer, at door: Door) -> TokenDefinition? {
        let token = name.flatMap { definition.tokens[$0] }
        let denial = token.map { (door.grants ?? $0.grants).denial(of: peer, to: door.surface) } ?? .grant
        guard let denial else { return token }
        audit.record(
            AuditEvent(
                .denial,
                door.surface.rawValue,
                of: token?.name.text ?? name.map { Quotation.bare($0.text) } ?? "?",
                outcome: Problem.Code.unknownToken.rawValue,
                detail: token == nil ? "no such token" : denial.explanation,
                by: AuditEvent.Actor(peer)
            )
        )
        return nil
    }

    func perform(_ call: CredentialCall, _ completion: Completion) -> Outcome {
        let key = TokenKey(call.name, call.user.subject)
        let asked =
            switch call.wish {
            case .atLeast(let minimum):
                broker.ask(key, minimum: minimum, details: call.user.details) { completion(.token($0)) }
            case .another(let text, let code):
                broker.reject(key, text, providerCode: code, details: call.user.details) { completion(.token($0)) }
            }
        if case .another = call.wish { recordRejection(asked, call) }
        return outcome(of: asked, call, completion)
    }

    /// A caller that has an old token is given the present one, which forces nothing and is not written down.
    private func recordRejection(_ asked: Broker.Asked?, _ call: CredentialCall) {
        let outcome: String
        switch asked {
        case .waiting?: outcome = "ok"
        case .answered(.failed(let failure, _))?: outcome = failure.failureClass.code
        case .answered(.tooManyRejections)?: outcome = Problem.Code.tooManyRejections.rawValue
        case .answered(.served)?, .answered(.notStale)?, .answered(.withdrawn)?, nil: return
        }
        let actor = AuditEvent.Actor(call.peer)
        audit.record(AuditEvent(.forcedMint, "rejected", of: call.name.text, outcome: outcome, by: actor))
    }

    func outcome(of asked: Broker.Asked?, _ call: CredentialCall, _ completion: Completion) -> Outcome {
        switch asked {
        case nil: return .respond(Problem.unknownToken.response(for: call.audience))
        case .answered(let answer)?: return .reply(reply(to: answer, call))
        case .waiting(let ticket)?:
            let patience = min(call.patience, definition.limits.waitMax)
            guard patience > .zero else {
                broker.giveUp(ticket)
                return .reply(late(call))
            }
            return wait(for: ticket, call, patience: patience, completion) { [self] in late(call) }
        }
    }

    /// What a caller gets who does not wait any longer: where a token is there that is valid, and only not for as long as was
    /// asked for, that one.
    private func late(_ call: CredentialCall) -> Reply {
        if case .atLeast(let minimum) = call.wish, minimum > .zero { return replyAtOnce(to: call) }
        return .response(Problem.deadlineExceeded.response(for: call.audience))
    }

    /// What there is now: a valid token, however long it lives, or why there is none.
    func replyAtOnce(to call: CredentialCall) -> Reply {
        let key = TokenKey(call.name, call.user.subject)
        switch broker.ask(key, minimum: .zero, details: call.user.details, onAnswer: { _ in }) {
        case .answered(let answer)?: return reply(to: answer, call)
        case .waiting(let ticket)?: broker.giveUp(ticket)
        case nil: break
        }
        return .response(Problem.deadlineExceeded.response(for: call.audience))
    }

    /// - Parameter onDrain: what a stop answers; nil for what it answers those who wait for a mint.
    func wait(
        for ticket: Broker.Ticket,
        _ call: CredentialCall,
        patience: Duration,
        _ completion: Completion,
        onDrain: (() -> HTTPResponse)? = nil,
        onDeadline: @escaping () -> Reply
    ) -> Outcome {
        guard let provider = definition.tokens[call.name]?.provider else {
            preconditionFailure("admitted to no token")
        }
        let line = WaitingCallers.Line(uid: call.peer.uid, provider: provider)
        guard waitingCallers.enter(line, connections: definition.limits.connectionsPerUID) else {
            broker.giveUp(ticket)
            return .respond(Problem.tooManyWaiting.response(for: call.audience))
        }
        let deadline = clock.now().boot.advanced(by: patience)
        var waiting = Waiting(
            patience: patience,
            onResolution: { [self] in
                waitingCallers.leave(line)
                guard case .token(let answer) = $0 else { preconditionFailure("not a token's resolution") }
                guard isStillAdmitted(call) else {
                    return .respond(Problem.unknownToken.response(for: call.audience))
                }
                // What the name stands for is another thing now, and is worth waiting for as that before was.
                if case .withdrawn = answer {
                    return perform(call.waiting(deadline.since(clock.now().boot)), completion)
                }
                return .reply(reply(to: answer, call))
            },
            onDeadline: { [self] _ in
                guard isStillAdmitted(call) else {
                    return .respond(Problem.unknownToken.response(for: call.audience))
                }
                return .reply(onDeadline())
            },
            onAbandoned: { [self] in
                waitingCallers.leave(line)
                broker.giveUp(ticket)
            }
        )
        waiting.onDrain = onDrain ?? { Problem.shuttingDown.response(for: call.audience) }
        return .wait(waiting)
    }

    /// The grants may have changed while the caller waited.
    private func isStillAdmitted(_ call: CredentialCall) -> Bool {
        token(call.name, for: call.peer, at: call.door) != nil
    }

    private func reply(to answer: TokenAnswer, _ call: CredentialCall) -> Reply {
        let problem: Problem
        switch answer {
        case .served(let token, let isDegraded):
            let now = clock.now()
            // It may have ended on its way while the host slept.
            if token.condition(at: now) == .live { return call.present(token, isDegraded, now) }
            problem = .tokenEnded
        case .failed(let failure, let retryAfter): problem = Problem(failure, retryAfter: retryAfter)
        case .tooManyRejections(let retryAfter): problem = .tooManyRejections(retryAfter: retryAfter)
        case .notStale: problem = .tokenNotStale
        case .withdrawn: problem = .unknownToken
        }
        return .response(problem.response(for: call.audience))
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
