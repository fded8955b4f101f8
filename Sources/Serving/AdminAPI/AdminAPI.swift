internal import HTTPWire
internal import JSON
internal import TokenBroker

/// The admin socket: what operators and monitoring ask for. Used on the loop's thread only.
final class AdminAPI: RequestHandler {
    /// A reload reads a few files and looks up names, which a directory service can make slow.
    private static let reloadPatience: Duration = .seconds(60)
    /// For each provider there are some seconds, and several are asked at a time.
    private static let examinationPatience: Duration = .seconds(50)
    private static let refreshPatience: Duration = .seconds(10)

    /// What is counted, for whoever asks.
    struct Metrics {
        let sockets: [SocketMetrics]
        let mints: MintCounters
        let verdicts: DeviceVerdictCounters
    }

    private let broker: Broker
    private let devices: DeviceSurface
    private let clock: any HostClock
    private let audit: any AuditLog
    private let auditSurface: AuditSurface
    /// Begins a reload on another thread; the handler is called there with the problems, none where it succeeded.
    private let startReload: (@escaping @Sendable ([String]) -> Void) -> Void
    private let onDrop: () -> Void
    private let policy: DevicePolicySurface
    var facts: DaemonFacts
    var access: AdminAccess
    /// Nothing is reloaded any more. The admin socket is open for as long as the apps socket drains.
    var isStopping = false
    private let metrics: Metrics
    private let secrets: SecretDesk
    let looksAtProcesses = false
    let takesSecrets = true

    init(
        broker: Broker,
        gate: DeviceGate,
        clock: any HostClock,
        audit: any AuditLog,
        auditTrail: (any AuditTrail)?,
        facts: DaemonFacts,
        access: AdminAccess,
        metrics: Metrics,
        policies: DevicePolicies,
        secrets: SecretDesk,
        startReload: @escaping (@escaping @Sendable ([String]) -> Void) -> Void,
        onDrop: @escaping () -> Void
    ) {
        self.broker = broker
        devices = DeviceSurface(gate: gate)
        self.clock = clock
        self.audit = audit
        auditSurface = AuditSurface(trail: auditTrail)
        self.facts = facts
        self.access = access
        self.metrics = metrics
        self.secrets = secrets
        self.startReload = startReload
        self.onDrop = onDrop
        policy = DevicePolicySurface(policies: policies, verdicts: metrics.verdicts, audit: audit)
    }

    func names(_ peer: Peer) -> Bool {
        access.right(of: peer) != nil
    }

    func respond(to request: HTTPRequest, from peer: Peer, _ completion: Completion) -> Outcome {
        guard !AdminAccess.isForeign(request.headers) else {
            recordDenial(of: peer, "foreign host or origin")
            return .respond(Problem(.notPermitted, "the Host must be localhost and the Origin the same").response)
        }
        guard let right = access.right(of: peer) else { return .respond(deny(peer, Self.stranger)) }
        guard let path = AdminPath(request.path) else { return .respond(Problem.notFound.response) }
        guard right == .operate || path.isOpenToObservers else { return .respond(deny(peer, .onlyObserver)) }
        guard path.methods.contains(request.method) else {
            return .respond(Problem.methodNotAllowed(path.methods.allow).response)
        }
        switch path {
        case .health: return .respond(HTTPResponse(json: ["status": "ok"]))
        case .readiness: return .respond(readiness())
        case .status:
            let document = StatusDocument(broker, facts, secrets: secrets.reports)
            return .respond(HTTPResponse(json: document.json(at: clock.now())))
        case .metrics: return .respond(metricsReport.response(at: clock.now()))
        case .page: return .respond(StatusPage(broker, facts, secrets: secrets.reports).response(at: clock.now()))
        case .reload: return reload(peer, completion)
        case .examination: return examine(peer, completion)
        case .token(let name): return .respond(drop(name, peer))
        case .tokenRefresh(let name): return refresh(name, request, peer, completion)
        case .devices: return devices.list(request, completion)
        case .device(let id):
            return devices.revoke(id, peer, completion)
        case .devicePolicy: return policy.respond(to: request, from: peer, completion)
        case .secrets: return .respond(secrets.list)
        case .secret(let action, let name):
            let limits = broker.definition.limits
            return secrets.perform(action, name, request, from: peer, limits: limits, completion)
        case .audit: return auditSurface.rows(request, completion)
        case .auditVerification: return auditSurface.verification(request, completion)
        }
    }

    private var metricsReport: MetricsReport {
        MetricsReport(
            broker: broker,
            facts: facts,
            sockets: metrics.sockets,
            mints: metrics.mints,
            policy: policy.policies.inForce,
            verdicts: metrics.verdicts,
            secrets: secrets.reports
        )
    }

    private func recordDenial(of peer: Peer, _ reason: String) {
        let action = AuditEvent.administration
        let outcome = Problem.Code.notPermitted.rawValue
        audit.record(AuditEvent(.denial, action, outcome: outcome, detail: reason, by: .init(operator: peer)))
    }

    private func deny(_ peer: Peer, _ problem: Problem) -> HTTPResponse {
        recordDenial(of: peer, "not an operator")
        return problem.response
    }

    private func readiness() -> HTTPResponse {
        let missing = broker.status().filter { $0.definition.refresh == .ahead && !$0.isServable }
        let obstacle = facts.deviceObstacle()
        let isReady = missing.isEmpty && obstacle == nil
        var json: JSONObject = [
            "ready": .bool(isReady),
            "not_servable": .array(missing.map { .string($0.definition.name.text) }),
        ]
        json["device_policy"] = obstacle.map(JSONValue.string)
        return HTTPResponse(status: isReady ? 200 : 503, json: .object(json))
    }

    private func reload(_ peer: Peer, _ completion: Completion) -> Outcome {
        guard !isStopping else { return .respond(Problem.shuttingDown.response) }
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
                    return .respond(
                        problems.isEmpty
                            ? HTTPResponse(json: ["reloaded": true])
                            : Problem.configurationInvalid(problems).response
                    )
                },
                onDeadline: Waiting.late("the reload is still going on; `tokenbroker status` shows its end"),
                onAbandoned: {}
            )
        )
    }

    private func examine(_ peer: Peer, _ completion: Completion) -> Outcome {
        audit.record(AuditEvent(.operation, "examination", by: .init(operator: peer)))
        facts.examine { completion(.examination($0)) }
        return .wait(
            Waiting(
                patience: Self.examinationPatience,
                onResolution: {
                    guard case .examination(let examination) = $0 else {
                        preconditionFailure("not an examination's resolution")
                    }
                    return .respond(HTTPResponse(json: examination.json))
                },
                onDeadline: Waiting.late("the providers take too long to answer; `tokenbroker status` is at once"),
                onAbandoned: {}
            )
        )
    }

    private func drop(_ name: Name?, _ peer: Peer) -> HTTPResponse {
        guard let name, broker.drop(name) else { return Self.unknown.response }
        audit.record(AuditEvent(.operation, "token drop", of: name.text, by: .init(operator: peer)))
        onDrop()
        return HTTPResponse(json: ["name": .string(name.text), "dropped": true])
    }

    private func refresh(_ name: Name?, _ request: HTTPRequest, _ peer: Peer, _ completion: Completion) -> Outcome {
        guard let name, let asked = broker.forceRefresh(TokenKey(name), onAnswer: { completion(.token($0)) }) else {
            return .respond(unrefreshable(name).response)
        }
        let actor = AuditEvent.Actor(operator: peer)
        switch asked {
        case .answered(let answer): return .respond(refreshed(name, answer, by: actor))
        case .waiting(let ticket):
            return .wait(
                Waiting(
                    patience: min(
                        Preference(request.headers).wait ?? Self.refreshPatience,
                        broker.definition.limits.waitMax
                    ),
                    onResolution: { [self] in
                        guard case .token(let answer) = $0 else { preconditionFailure("not a token's resolution") }
                        return .respond(refreshed(name, answer, by: actor))
                    },
                    onDeadline: Waiting.late("the mint is still going on; `tokenbroker status` shows its end"),
                    onAbandoned: { [self] in
                        broker.giveUp(ticket)
                        recordRefresh(name, .deadlineExceeded, "nobody waited for the mint, which goes on", by: actor)
                    }
                )
            )
        }
    }

    /// Why there is nothing to refresh under a name.
    private func unrefreshable(_ name: Name?) -> Problem {
        guard let name, broker.definition.tokens[name]?.isPerUser == true else { return Self.unknown }
        return Problem(
            .conflict,
            "\(name) is minted for each user, when that user asks: there is no one token to refresh; "
                + "`tokenbroker token drop \(name)` forgets those that are held"
        )
    }

    /// - Parameter problem: nil for a refresh that came to a token.
    private func recordRefresh(
        _ name: Name,
        _ problem: Problem.Code?,
        _ detail: String?,
        by actor: AuditEvent.Actor
    ) {
        let outcome = problem?.rawValue ?? "ok"
        audit.record(
            AuditEvent(.operation, "token refresh", of: name.text, outcome: outcome, detail: detail, by: actor)
        )
    }

    private func refreshed(_ name: Name, _ answer: TokenAnswer, by actor: AuditEvent.Actor) -> HTTPResponse {
        let problem: Problem
        switch answer {
        case .served(let token, _):
            recordRefresh(name, nil, nil, by: actor)
            return Self.document(name, token, clock.now())
        case .failed(let failure, let retryAfter): problem = Problem(failure, retryAfter: retryAfter)
        case .tooManyRejections(let retryAfter): problem = .tooManyRejections(retryAfter: retryAfter)
        case .notStale: problem = .tokenNotStale
        case .withdrawn: problem = Self.unknown
        }
        recordRefresh(name, problem.code, problem.detail, by: actor)
        return problem.response
    }

    private static func document(_ name: Name, _ token: ServedToken, _ now: Moment) -> HTTPResponse {
        HTTPResponse(json: [
            "name": .string(name.text),
            "generation": .number(JSONNumber(token.generation.number)),
            "expires_at": .number(JSONNumber(token.expiry(onHostClockAt: now).unixSeconds)),
            "expires_in": .number(JSONNumber(max(0, token.remaining(at: now).wholeSeconds))),
        ])
    }

    private static let stranger = Problem(.notPermitted, "only root and those under `operators:` may do this")
    private static let unknown = Problem(.unknownToken, "there is no such token; `tokenbroker status` lists them")
}
