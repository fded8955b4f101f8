internal import JSON
public import TokenBroker

/// What the composition root knows about the daemon and status tells.
public struct DaemonFacts: Sendable {
    public var version: String
    public var processID: Int32
    public var startedAt: WallInstant
    public var configurationPath: String
    public var configurationLoadedAt: WallInstant
    /// Why the last reload was not taken.
    public var reloadProblems: [String] = []
    /// How the store is doing; nil where there is none.
    public var storeHealth: @Sendable () -> StoreHealth? = { nil }
    /// Why a route's device gate is stricter than anybody said, or lets nobody in; nil where none is.
    public var deviceObstacle: @Sendable () -> String? = { nil }
    /// How much of the secrets' memory is kept out of swap; nil where none of it is.
    public var secretMemory: @Sendable () -> SecretMemoryUse? = { nil }
    /// Begins to look at everything that only the daemon can see, and calls the completion on any thread.
    public var examine: @Sendable (_ completion: @escaping @Sendable (Examination) -> Void) -> Void = { _ in }
    /// How the audit log's rows are doing; nil where there are none.
    public var auditHealth: @Sendable () -> AuditHealth? = { nil }
    /// What an operator should mend although everything runs.
    public var warnings: [String] = []

    public init(version: String, processID: Int32, startedAt: WallInstant, configurationPath: String) {
        self.version = version
        self.processID = processID
        self.startedAt = startedAt
        self.configurationPath = configurationPath
        configurationLoadedAt = startedAt
    }
}

/// The memory that secrets and tokens are kept in.
public struct SecretMemoryUse: Sendable {
    public let lockedBytes: Int
    /// What the limit for locked memory left out.
    public let unlockedBytes: Int

    public init(lockedBytes: Int, unlockedBytes: Int) {
        self.lockedBytes = lockedBytes
        self.unlockedBytes = unlockedBytes
    }
}

/// The answer to `GET /v1/status`: every token's state and never a value.
struct StatusDocument {
    private let definition: BrokerDefinition
    private let tokens: [TokenStatus]
    private let facts: DaemonFacts
    private let secrets: [SecretReport]

    init(_ broker: Broker, _ facts: DaemonFacts, secrets: [SecretReport]) {
        definition = broker.definition
        tokens = broker.status()
        self.facts = facts
        self.secrets = secrets
    }

    func json(at now: Moment) -> JSONValue {
        let problems = facts.reloadProblems
        let obstacle = facts.deviceObstacle()
        return [
            "version": .string(facts.version),
            "pid": .number(JSONNumber(Int64(facts.processID))),
            "started_at": .seconds(facts.startedAt),
            "ready": .bool(tokens.areReady && obstacle == nil),
            "configuration": [
                "path": .string(facts.configurationPath),
                "loaded_at": .seconds(facts.configurationLoadedAt),
                "last_error": problems.isEmpty ? nil : .string(problems.joined(separator: "\n")),
            ],
            "device_policy": obstacle.map(JSONValue.string) ?? nil,
            "store": facts.storeHealth().map(json(of:)) ?? nil,
            "secret_memory": facts.secretMemory().map(json(of:)) ?? nil,
            "audit": facts.auditHealth().map(json(of:)) ?? nil,
            "tokens": .array(tokens.map { json(of: $0, at: now) }),
            "secrets": .array(secrets.map { SecretDocument($0).summary }),
            "warnings": .array(([obstacle].compactMap(\.self) + facts.warnings).map(JSONValue.string)),
        ]
    }

    private func json(of status: TokenStatus, at now: Moment) -> JSONValue {
        let token = status.current.flatMap { $0.condition(at: now) == .dead ? nil : $0 }
        let ending = token.flatMap { $0.isEndless ? nil : $0 }
        let attempt = status.nextAttempt.map { now.wall.advanced(by: max($0.since(now.boot), .zero)) }
        return [
            "name": .string(status.definition.name.text),
            "kind": .string(definition.providers[status.definition.provider]?.kind ?? ""),
            "provider": .string(status.definition.provider.text),
            "state": .string(status.state.rawValue),
            "generation": token.map { .number(JSONNumber($0.generation.number)) } ?? nil,
            "expires_at": ending.map { .seconds($0.expiry(onHostClockAt: now)) } ?? nil,
            "expires_in": ending.map { .number(JSONNumber(max(0, $0.remaining(at: now).wholeSeconds))) } ?? nil,
            "next_attempt_at": attempt.map(JSONValue.seconds) ?? nil,
            "mints": .number(JSONNumber(Int64(status.mints))),
            "failures": .number(JSONNumber(Int64(status.failures))),
            "failures_in_a_row": .number(JSONNumber(Int64(status.failuresInARow))),
            "waiters": .number(JSONNumber(Int64(status.waiters))),
            "end_users": status.users.map { .number(JSONNumber(Int64($0))) } ?? nil,
            "clock_skew_ms": status.clockSkew.map { .number(JSONNumber($0.saturatedMilliseconds)) } ?? nil,
            "last_error": status.lastFailure.map { json(of: $0.failure, at: $0.at) } ?? nil,
        ]
    }

    private func json(of health: StoreHealth) -> JSONValue {
        [
            "state": .string(health.stateText),
            "since": .seconds(health.since),
            "detail": health.detail.map(JSONValue.string) ?? nil,
            "set_aside": health.setAsidePath.map(JSONValue.string) ?? nil,
            "unreadable_rows": .number(JSONNumber(Int64(health.unreadableRows))),
        ]
    }

    private func json(of memory: SecretMemoryUse) -> JSONValue {
        [
            "locked_bytes": .number(JSONNumber(Int64(memory.lockedBytes))),
            "unlocked_bytes": .number(JSONNumber(Int64(memory.unlockedBytes))),
        ]
    }

    private func json(of health: AuditHealth) -> JSONValue {
        [
            "gaps": .number(JSONNumber(Int64(clamping: health.gaps))),
            "unwritten": .number(JSONNumber(Int64(health.unwritten))),
            "head_at": health.headAt.map(JSONValue.seconds) ?? nil,
        ]
    }

    private func json(of failure: MintFailure, at moment: Moment) -> JSONValue {
        var document: JSONObject = [
            "code": .string(Problem.Code(failure.failureClass).rawValue),
            "detail": .string(failure.detail),
            "at": .seconds(moment.wall),
        ]
        if let status = failure.providerStatus { document["provider_status"] = .number(JSONNumber(Int64(status))) }
        if let code = failure.providerCode { document["provider_code"] = .string(code) }
        if let id = failure.providerRequestID { document["provider_request_id"] = .string(id) }
        return .object(document)
    }
}

extension JSONValue {
    fileprivate static func seconds(_ instant: WallInstant) -> JSONValue {
        .number(JSONNumber(instant.unixSeconds))
    }
}
