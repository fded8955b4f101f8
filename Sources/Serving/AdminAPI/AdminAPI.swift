internal import HTTPWire
internal import JSON
internal import TokenBroker

/// The admin socket: what operators and monitoring ask for. Used on the loop's thread only.
final class AdminAPI: RequestHandler {
    /// A reload reads a few files and looks up names, which a directory service can make slow.
    private static let reloadPatience: Duration = .seconds(60)
    private static let refreshPatience: Duration = .seconds(10)

    /// What is counted, for whoever asks.
    struct Metrics {
        let sockets: [SocketMetrics]
        let mints: MintCounters
    }

    private let broker: Broker
    private let clock: any HostClock
    private let audit: any AuditLog
    private let auditSurface: AuditSurface
    /// Begins a reload on another thread; the handler is called there with the problems, none where it succeeded.
    private let startReload: (@escaping @Sendable ([String]) -> Void) -> Void
    private let onDrop: () -> Void
    var facts: DaemonFacts
    var access: AdminAccess
    private let metrics: Metrics
    let looksAtProcesses = false

    init(
        broker: Broker,
        clock: any HostClock,
        audit: any AuditLog,
        auditTrail: (any AuditTrail)?,
        facts: DaemonFacts,
        access: AdminAccess,
        metrics: Metrics,
        startReload: @escaping (@escaping @Sendable ([String]) -> Void) -> Void,
        onDrop: @escaping () -> Void
    ) {
        self.broker = broker
        self.clock = clock
        self.audit = audit
        auditSurface = AuditSurface(trail: auditTrail)
        self.facts = facts
        self.access = access
        self.metrics = metrics
        self.startReload = startReload
        self.onDrop = onDrop
    }

    func names(_ peer: Peer) -> Bool {
        access.right(of: peer) != nil
    }

    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome {
        guard !AdminAccess.isForeign(request.headers) else {
            recordDenial(of: peer, "foreign host or origin")
            return .respond(Problem(.notPermitted, "the Host must be localhost and the Origin the same").response)
        }
        guard let right = access.right(of: peer) else { return .respond(deny(peer)) }
        guard let path = AdminPath(request.path) else { return .respond(Problem.notFound.response) }
        guard right == .operate || path.isOpenToObservers else { return .respond(deny(peer)) }
        guard path.methods.contains(request.method) else {
            return .respond(Problem.methodNotAllowed(path.methods.allow).response)
        }
        switch path {
        case .health: return .respond(HTTPResponse(json: ["status": "ok"]))
        case .readiness: return .respond(readiness())
        case .status: return .respond(HTTPResponse(json: StatusDocument(broker, facts).json(at: clock.now())))
        case .metrics: return .respond(metricsReport.response(at: clock.now()))
        case .page: return .respond(StatusPage(broker, facts).response(at: clock.now()))
        case .reload: return reload(peer, completion)
        case .token(let name): return .respond(drop(name, peer))
        case .tokenRefresh(let name): return refresh(name, request, peer, completion)
        case .audit: return auditSurface.rows(request, completion)
        case .auditVerification: return auditSurface.verification(request, completion)
        }
    }

    private var metricsReport: MetricsReport {
        MetricsReport(broker: broker, facts: facts, sockets: metrics.sockets, mints: metrics.mints)
    }

    private func recordDenial(of peer: Peer, _ reason: String) {
        let action = AuditEvent.administration
        let outcome = Problem.Code.notPermitted.rawValue
        audit.record(AuditEvent(.denial, action, outcome: outcome, detail: reason, by: .init(operator: peer)))
    }

    private func deny(_ peer: Peer) -> HTTPResponse {
        recordDenial(of: peer, "not an operator")
        return Problem(.notPermitted, "only root and those under `operators:` may do this").response
    }

    private func recordAction(_ action: String, _ token: Name, _ peer: Peer) {
        audit.record(AuditEvent(.operation, action, of: token.text, by: .init(operator: peer)))
    }

    private func readiness() -> HTTPResponse {
        let missing = broker.status().filter { $0.definition.refresh == .ahead && !$0.isServable }
        return HTTPResponse(
            status: missing.isEmpty ? 200 : 503,
            json: [
                "ready": .bool(missing.isEmpty),
                "not_servable": .array(missing.map { .string($0.definition.name.text) }),
            ]
        )
    }

    private func reload(_ peer: Peer, _ completion: Completion) -> Outcome {
        let actor = AuditEvent.Actor(operator: peer)
        startReload { [audit] problems in
            audit.record(.reload(problems, by: actor))
            completion(.reload(problems: problems))
        }
        return .wait(
            Waiting(
                patience: Self.reloadPatience,
                onResolution: {
                    guard case .reload(let problems) = $0 else { preconditionFailure("not a reload's resolution") }
                    return .response(
                        problems.isEmpty
                            ? HTTPResponse(json: ["reloaded": true])
                            : Problem.configurationInvalid(problems).response
                    )
                },
                onDeadline: {
                    Problem(.deadlineExceeded, "the reload is still going on; `tokenbroker status` shows its end")
                        .response
                },
                onAbandoned: {}
            )
        )
    }

    private func drop(_ name: Name?, _ peer: Peer) -> HTTPResponse {
        guard let name, broker.drop(name) else { return unknown }
        recordAction("token drop", name, peer)
        onDrop()
        return HTTPResponse(json: ["name": .string(name.text), "dropped": true])
    }

    private func refresh(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        guard let name, let asked = broker.forceRefresh(TokenKey(name), onAnswer: { completion(.token($0)) }) else {
            return .respond(unknown)
        }
        recordAction("token refresh", name, peer)
        switch asked {
        case .answered(let answer): return .respond(refreshed(name, answer))
        case .waiting(let ticket):
            return .wait(
                Waiting(
                    patience: min(
                        Preference(request.headers).wait ?? Self.refreshPatience,
                        broker.definition.limits.waitMax
                    ),
                    onResolution: { [self] in
                        guard case .token(let answer) = $0 else { preconditionFailure("not a token's resolution") }
                        return .response(refreshed(name, answer))
                    },
                    onDeadline: {
                        Problem(.deadlineExceeded, "the mint is still going on; `tokenbroker status` shows its end")
                            .response
                    },
                    onAbandoned: { [broker] in broker.giveUp(ticket) }
                )
            )
        }
    }

    private func refreshed(_ name: Name, _ answer: TokenAnswer) -> HTTPResponse {
        switch answer {
        case .served(let token, _):
            let now = clock.now()
            return HTTPResponse(json: [
                "name": .string(name.text),
                "generation": .number(JSONNumber(token.generation.number)),
                "expires_at": .number(JSONNumber(token.expiry(onHostClockAt: now).unixSeconds)),
                "expires_in": .number(JSONNumber(max(0, token.remaining(at: now).wholeSeconds))),
            ])
        case .failed(let failure, let retryAfter): return Problem(failure, retryAfter: retryAfter).response
        case .tooManyRejections(let retryAfter): return Problem.tooManyRejections(retryAfter: retryAfter).response
        case .notStale: return Problem.tokenNotStale.response
        case .withdrawn: return unknown
        }
    }

    private var unknown: HTTPResponse {
        Problem(.unknownToken, "there is no such token; `tokenbroker status` lists them").response
    }
}
