internal import HTTPWire
internal import JSON
public import TokenBroker

/// Makes a value out of the bytes that an operator gave for it, by the rule of secret files.
public typealias SecretReader = @Sendable ([UInt8]) throws(SecretProblem) -> Secret

/// The operator's side of long-lived secrets.
struct SecretDesk: Sendable {
    /// For a step that the store keeps, however slow its disk is.
    private static let patience: Duration = .seconds(30)
    /// What a proof, or the making of a key, may take beyond a mint.
    private static let proofMargin: Duration = .seconds(5)

    private static let unknown = Problem(.notFound, SecretStepRefusal.unknown.description)

    /// What a step came to.
    private enum Done {
        case stepped(SecretVersionNumber)
        case switched(SecretSwitch)
        case retired([SecretVersionNumber])
    }

    private typealias Step = @Sendable () async throws(SecretStepRefusal) -> Done

    private let keeper: SecretKeeper
    private let read: SecretReader
    private let clock: any HostClock
    private let audit: any AuditLog

    init(_ keeper: SecretKeeper, read: @escaping SecretReader, clock: any HostClock, audit: any AuditLog) {
        self.keeper = keeper
        self.read = read
        self.clock = clock
        self.audit = audit
    }

    var reports: [SecretReport] { keeper.reports }

    /// The answer to `GET /v1/secrets`.
    var list: HTTPResponse {
        let now = clock.now()
        return HTTPResponse(json: ["secrets": .array(reports.map { .object(SecretDocument($0).json(at: now)) })])
    }

    /// - Parameter name: nil for one that no secret can have.
    func perform(
        _ action: SecretAction,
        _ name: Name?,
        _ request: HTTPRequest,
        from peer: Peer,
        limits: Limits,
        _ completion: Completion
    ) -> Outcome {
        guard let name else { return .respond(Self.unknown.response) }
        let actor = AuditEvent.Actor(operator: peer)
        do throws(InvalidRequest) {
            if try Self.isSet("dry_run", in: request, for: action) {
                plan(name, by: actor, limits, completion)
            } else {
                take(try step(action, name, request, by: actor), action, name, by: actor, limits, completion)
            }
        } catch {
            return .respond(Problem(error).response)
        }
        let asksProvider = action == .verify || action == .create
        let usual = asksProvider ? limits.mintDeadline + Self.proofMargin : Self.patience
        return .wait(
            Waiting(
                patience: Preference(request.headers).wait.map { min($0, limits.waitMax) } ?? usual,
                onResolution: {
                    guard case .answer(let response) = $0 else { preconditionFailure("not a secret's resolution") }
                    return .respond(response)
                },
                onDeadline: Waiting.late("this is still going on; `tokenbroker secret list` shows its end"),
                onAbandoned: {}
            )
        )
    }

    private func take(
        _ step: @escaping Step,
        _ action: SecretAction,
        _ name: Name,
        by actor: AuditEvent.Actor,
        _ limits: Limits,
        _ completion: Completion
    ) {
        // Before the step, which begins at once.
        let known = Set(report(of: name)?.versions.map(\.number) ?? [])
        Task {
            do throws(SecretStepRefusal) {
                completion(.answer(answer(action, name, try await step(), known)))
            } catch {
                let problem = Problem(error, longestPause: limits.retryAfterMax)
                // What a provider had a word in is written down by the keeper.
                if !error.isProviders {
                    audit.record(AuditEvent(refused: action.rawValue, of: name, error, as: problem, by: actor))
                }
                completion(.answer(problem.response))
            }
        }
    }

    /// What a creation would come to. It is written down too: the provider is asked with the key of its key API.
    private func plan(_ name: Name, by actor: AuditEvent.Actor, _ limits: Limits, _ completion: Completion) {
        let action = "\(SecretAction.create.rawValue) --dry-run"
        Task {
            do throws(SecretStepRefusal) {
                let plan = try await keeper.creationPlan(for: name)
                let asked = "asked \(plan.account.name) for keys called \(plan.label)"
                audit.record(AuditEvent(.secret, action, of: name.text, outcome: "ok", detail: asked, by: actor))
                completion(.answer(HTTPResponse(json: .object(CreationPlanDocument(plan, for: name).json))))
            } catch {
                let problem = Problem(error, longestPause: limits.retryAfterMax)
                audit.record(AuditEvent(refused: action, of: name, error, as: problem, by: actor))
                completion(.answer(problem.response))
            }
        }
    }

    private func step(
        _ action: SecretAction,
        _ name: Name,
        _ request: HTTPRequest,
        by actor: AuditEvent.Actor
    ) throws(InvalidRequest) -> Step {
        let isFinal = try Self.isSet("final", in: request, for: action)
        let keeper = keeper
        switch action {
        case .create: return { () throws(SecretStepRefusal) in .stepped(try await keeper.create(name, by: actor)) }
        case .stage:
            let value = try value(in: request)
            return { () throws(SecretStepRefusal) in .stepped(try await keeper.stage(value, for: name, by: actor)) }
        case .verify: return { () throws(SecretStepRefusal) in .stepped(try await keeper.verify(name, by: actor)) }
        case .promote:
            return { () throws(SecretStepRefusal) in
                .switched(try await keeper.promote(name, isFinal: isFinal, by: actor))
            }
        case .rollback: return { () throws(SecretStepRefusal) in .switched(try await keeper.rollBack(name, by: actor)) }
        case .retire: return { () throws(SecretStepRefusal) in .retired(try await keeper.retire(name, by: actor)) }
        }
    }

    private func value(in request: HTTPRequest) throws(InvalidRequest) -> Secret {
        let types = request.headers.values("Content-Type")
        guard types.allSatisfy(Self.isPlain) else {
            throw InvalidRequest("the value is the whole body as it is, with Content-Type: text/plain")
        }
        do throws(SecretProblem) {
            return try read(request.body)
        } catch {
            throw InvalidRequest(error.description)
        }
    }

    /// Whether a body of this type is the value itself. A form's type is what curl and others state of bytes that they know
    /// nothing of; whoever states another one means a document with the value in it, which would be taken for the key.
    private static func isPlain(_ type: String) -> Bool {
        let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        return ["text/plain", "application/x-www-form-urlencoded"].contains(essence)
    }

    /// Whether the request has the one parameter that its action takes. A misspelt `final` must not leave a leaked key in
    /// use, and a misspelt `dry_run` must not make a key: what is not known here is refused.
    private static func isSet(
        _ parameter: String,
        in request: HTTPRequest,
        for action: SecretAction
    ) throws(InvalidRequest) -> Bool {
        guard let query = request.query else { return false }
        guard let (known, meaning) = action.parameter else { throw InvalidRequest("this path takes no parameters") }
        guard let items = QueryItems(parsing: query)?.items, items.count == 1, items[0].name == known,
            ["0", "1"].contains(items[0].value)
        else { throw InvalidRequest("the only parameter is \(known)=1, \(meaning)") }
        return known == parameter && items[0].value == "1"
    }

    /// The secret as it is after the step, and what was done with which versions.
    private func answer(
        _ action: SecretAction,
        _ name: Name,
        _ done: Done,
        _ known: Set<SecretVersionNumber>
    ) -> HTTPResponse {
        guard let report = report(of: name) else { return Self.unknown.response }
        var document = SecretDocument(report).json(at: clock.now())
        let stepped: SecretVersionNumber
        switch done {
        case .retired(let numbers):
            document["retired"] = .array(numbers.map { .number(JSONNumber($0.number)) })
            return HTTPResponse(json: .object(document))
        case .stepped(let number): stepped = number
        case .switched(let made):
            stepped = made.number
            document["replaced"] = made.replaced.map { .number(JSONNumber($0.number)) }
            document["urgent"] = .bool(made.isUrgent)
        }
        document["version"] = .number(JSONNumber(stepped.number))
        let version = report.versions.first { $0.number == stepped }
        document["state"] = version.map { .string($0.state.rawValue) }
        if action == .stage || action == .create { document["known"] = .bool(known.contains(stepped)) }
        return HTTPResponse(json: .object(document))
    }

    private func report(of name: Name) -> SecretReport? {
        reports.first { $0.definition.name == name }
    }
}

extension AuditEvent {
    /// A step that was not taken.
    fileprivate init(
        refused action: String,
        of secret: Name,
        _ refusal: SecretStepRefusal,
        as problem: Problem,
        by actor: Actor
    ) {
        self.init(
            .secret,
            action,
            of: refusal == .unknown ? Quotation.bare(secret.text) : secret.text,
            outcome: problem.code.rawValue,
            detail: problem.detail,
            by: actor
        )
    }
}

extension SecretStepRefusal {
    /// Whether a provider had a word in it.
    fileprivate var isProviders: Bool {
        switch self {
        case .refused, .unproven, .notIssued, .lost: true
        default: false
        }
    }
}
