internal import Synchronization

/// Keeps the long-lived secrets: takes values in, has them proven, and decides which of them is minted with.
///
/// The rules are ``SecretLife``'s; this is the shell around it: it reads sources, asks providers, and has every step kept in
/// the journal before it acts on it. The steps of one secret follow one another, and no secret waits for another's.
public actor SecretKeeper {
    /// What the keeper needs from outside.
    public struct Ports: Sendable {
        public var clock: any HostClock
        /// Nil where the configuration names no store: then lives end with the process, and nothing can be managed.
        public var journal: (any SecretJournal)?
        /// Tells values apart without giving one away.
        public var fingerprint: @Sendable (Secret) -> String
        public var observer: any EventObserver
        public var audit: (any AuditLog)?
        /// Told when ``SecretKeeper/nextWake`` is another; called from any thread.
        public var alarmChanged: @Sendable () -> Void

        public init(
            clock: any HostClock,
            journal: (any SecretJournal)?,
            fingerprint: @escaping @Sendable (Secret) -> String,
            observer: any EventObserver,
            audit: (any AuditLog)? = nil,
            alarmChanged: @escaping @Sendable () -> Void = {}
        ) {
            self.clock = clock
            self.journal = journal
            self.fingerprint = fingerprint
            self.observer = observer
            self.audit = audit
            self.alarmChanged = alarmChanged
        }
    }

    private struct Published {
        var reports: [SecretReport] = []
        var nextWake: BootInstant?
    }

    public nonisolated let inForce = SecretsInForce()
    nonisolated let ports: Ports
    private nonisolated let published = Mutex(Published())

    var definition: BrokerDefinition
    var source: any SecretSource
    /// Who asks the providers; nobody until there is a broker.
    private(set) var broker: Broker?
    private(set) var lives: [Name: SecretLife] = [:]
    private var records: [Name: RecordVersion] = [:]
    /// Whose life as it is now was not kept.
    private var unkept: Set<Name> = []
    /// Whether the journal has been read.
    private var isRead = false
    /// Why a managed secret without a value may have one in the journal; nil where it has none.
    private var doubt: JournalDoubt?
    var problems: [Name: SecretProblem] = [:]
    var trials: [Name: SecretTrial] = [:]
    /// What came of proving a candidate, until it is promoted.
    var proofs: [Name: (number: SecretVersionNumber, proofs: [SecretProof])] = [:]
    var random: SeededRandom
    /// For which it is being found out whether to go back.
    var doubted: Set<Name> = []
    /// For which a provider is being asked to make a key.
    var underWay: Set<Name> = []
    var revocations: [Name: [SecretVersionNumber: RevocationTrial]] = [:]
    /// The last step begun for each secret.
    private var turns: [Name: Task<Void, Never>] = [:]

    public init(_ definition: BrokerDefinition, source: any SecretSource, ports: Ports, seed: UInt64) {
        self.definition = definition
        self.source = source
        self.ports = ports
        random = SeededRandom(seed: seed)
    }

    /// The secrets of the configuration, in the order of their names. Does not wait.
    public nonisolated var reports: [SecretReport] { published.withLock { $0.reports } }

    /// When ``wake()`` wants to be called; nil while nothing is due.
    public nonisolated var nextWake: BootInstant? { published.withLock { $0.nextWake } }

    /// The instant that ``nextWake`` named has come. Returns at once; what is due next is told when this is done.
    public nonisolated func wake() {
        published.withLock { $0.nextWake = nil }
        Task { await goOn() }
    }

    // MARK: Beginning

    /// Takes what an earlier run kept, and the values as they are now. Nothing is proven before ``attach(_:)``.
    public func begin() async {
        await readJournal()
        await takeValues()
    }

    /// The engine that mints with the values is there.
    public func attach(_ broker: Broker) async {
        self.broker = broker
        inForce.onRefusal { [weak self] secret, version, failure in
            guard let self else { return }
            Task { await self.fallBack(from: version, of: secret, after: failure) }
        }
        for (name, life) in lives { resume(name, life) }
        await goOn()
    }

    /// Tokens of an earlier version may not have been replaced when the process before ended.
    private func resume(_ name: Name, _ life: SecretLife) {
        guard life.versions.count > 1, let active = life.active else { return }
        broker?.keyResumed(name, active, isUrgent: life.retiring.isEmpty)
    }

    /// The configuration is another, and values may be.
    public func reload(_ definition: BrokerDefinition, source: any SecretSource) async {
        self.definition = definition
        self.source = source
        inForce.keep(only: Set(definition.secrets.keys))
        // What could not be revoked may be now.
        for name in revocations.keys { hurryRevocations(of: name) }
        await check()
    }

    /// The store works again after it did not.
    public func storeRecovered() async {
        let wasRead = isRead
        await readJournal()
        for name in wasRead ? Set(lives.keys) : unkept { await keepAgain(name) }
        await check()
    }

    private func readJournal() async {
        defer { publish() }
        guard let journal = ports.journal, !isRead else { return }
        let isPart = (try? await journal.mayHaveLost()) ?? true
        let kept: [Name: KeptLife]
        do throws(StoreError) {
            kept = try await journal.lives()
        } catch {
            if !isRead { doubt = .unread(error) }
            return
        }
        guard !isRead else { return }
        isRead = true
        doubt = isPart ? .partLost : nil
        for (name, kept) in kept {
            try? await inTurn(name) { (keeper) async throws(SecretStepRefusal) in keeper.resume(name, from: kept) }
        }
    }

    private func resume(_ name: Name, from kept: KeptLife) {
        let now = ports.clock.now().wall
        var life = kept.life
        if let present = lives[name]?.active {
            life.resume(present, retiring: now.advanced(by: SecretDrain.shortestProbation), at: now)
        }
        lives[name] = life
        records[name] = kept.record
        if life == kept.life { unkept.remove(name) } else { unkept.insert(name) }
    }

    // MARK: Steps

    typealias Change<Result> = @Sendable (inout SecretLife) throws(SecretStepRefusal) -> Result

    /// Changes a life after what was begun for the secret before: kept first, and only then true.
    func step<Result: Sendable>(
        _ name: Name,
        _ change: @escaping Change<Result>
    ) async throws(SecretStepRefusal) -> Result {
        try await inTurn(name) { (keeper) async throws(SecretStepRefusal) in
            var life = keeper.lives[name] ?? SecretLife()
            let result = try change(&life)
            guard life != keeper.lives[name] else { return result }
            try await keeper.keep(life, of: name)
            keeper.lives[name] = life
            keeper.publish()
            return result
        }
    }

    private func keepAgain(_ name: Name) async {
        try? await inTurn(name) { (keeper) async throws(SecretStepRefusal) in
            guard let life = keeper.lives[name] else { return }
            try await keeper.keep(life, of: name)
            keeper.publish()
        }
    }

    private func inTurn<Result: Sendable>(
        _ name: Name,
        _ work: @escaping @Sendable (isolated SecretKeeper) async throws(SecretStepRefusal) -> Result
    ) async throws(SecretStepRefusal) -> Result {
        let previous = turns[name]
        let turn = Task { () -> Swift.Result<Result, SecretStepRefusal> in
            await previous?.value
            do throws(SecretStepRefusal) { return .success(try await work(self)) } catch { return .failure(error) }
        }
        turns[name] = Task { _ = await turn.value }
        return try await turn.value.get()
    }

    /// - Throws: where the step must not be taken without being kept. A file or a credential gives its value again, so that
    ///   a store that fails is no reason to go on with a key that its owner has replaced.
    private func keep(_ life: SecretLife, of name: Name) async throws(SecretStepRefusal) {
        let isManaged = definition.secrets[name]?.source == .managed
        do throws(StoreError) {
            guard let journal = ports.journal else {
                throw StoreError(.unavailable, "the configuration names no store")
            }
            // What a loss of power takes of a file's life is done again: the value is read, and proven, once more.
            let durability: Durability = isManaged ? .durable : .ordinary
            records[name] = try await journal.keep(life, of: name, replacing: records[name], durability)
            unkept.remove(name)
        } catch {
            guard !isManaged else { throw .notKept(error) }
            if ports.journal != nil { unkept.insert(name) }
        }
    }

    func tell(
        _ name: Name,
        _ number: SecretVersionNumber,
        _ step: SecretStep,
        by actor: AuditEvent.Actor? = nil
    ) {
        ports.observer.observe(.secretStepped(name, number, step))
        ports.audit?.record(AuditEvent(name, number, step, by: actor))
    }

    // MARK: What others see

    func publish() {
        let next = nextDue()
        let reports = definition.secrets.values.sorted { $0.name < $1.name }.map(report)
        let isChanged = published.withLock { published in
            defer { published = Published(reports: reports, nextWake: next) }
            return published.nextWake != next
        }
        // Last, so that whoever sees a value at work finds it in the reports.
        for name in definition.secrets.keys { inForce.put(keyInForce(name), for: name) }
        if isChanged { ports.alarmChanged() }
    }

    private func keyInForce(_ name: Name) -> Result<SecretsInForce.Key, SecretProblem> {
        if let active = lives[name]?.active, let value = active.value {
            return .success(SecretsInForce.Key(value, version: active.number))
        }
        guard let secret = definition.secrets[name] else { return .failure(SecretProblem(.missing, "no such secret")) }
        if let problem = problem(of: secret) { return .failure(problem) }
        return Result { () throws(SecretProblem) in SecretsInForce.Key(try source.read(secret)) }
    }

    /// Why its source, which for a managed secret is the journal, gives no value now.
    private func problem(of secret: SecretDefinition) -> SecretProblem? {
        guard secret.source == .managed, lives[secret.name]?.active == nil else { return problems[secret.name] }
        return doubt?.problem(of: secret.name)
    }

    private func report(_ secret: SecretDefinition) -> SecretReport {
        let accounts = definition.providers.filter { $0.value.secrets.contains(secret.name) }
        let tokens = definition.tokens.values.filter { accounts[$0.provider] != nil }.sorted { $0.name < $1.name }
        let credentials = tokens.filter { $0.credential.isSecret && accounts[$0.provider]?.secret == secret.name }
        return SecretReport(
            definition: secret,
            versions: lives[secret.name]?.versions ?? [],
            tokens: tokens.map(\.name),
            credentials: credentials.map(\.name),
            problem: problem(of: secret),
            trial: trials[secret.name],
            revocations: revocations[secret.name] ?? [:],
            isKept: ports.journal != nil && !unkept.contains(secret.name)
        )
    }

    private func nextDue() -> BootInstant? {
        let now = ports.clock.now()
        var instants = definition.secrets.keys.compactMap { trials[$0]?.nextAttempt }
        for name in definition.secrets.keys {
            for version in lives[name]?.retiring ?? [] {
                guard let end = version.retiresAt else { continue }
                instants.append(now.boot.advanced(by: end.since(now.wall)))
            }
            if let due = nextRevocation(of: name, at: now.boot) { instants.append(due) }
        }
        // What did not get done when it was due is tried again, and not at once.
        return instants.min().map { max($0, now.boot.advanced(by: .seconds(1))) }
    }
}

extension AuditEvent {
    fileprivate init(_ secret: Name, _ number: SecretVersionNumber, _ step: SecretStep, by actor: Actor?) {
        let failure: MintFailure? =
            switch step {
            case .refused(let failure), .unproven(let failure), .fellBack(let failure), .notFallenBack(let failure, _),
                .notIssued(let failure), .notRevoked(_, let failure), .lost(_, let failure):
                failure
            default: nil
            }
        let parts = ["version \(number.number)", step.issued?.text, step.obstacle?.message, failure?.detail]
        self.init(
            .secret,
            step.word,
            of: secret.text,
            outcome: failure.map(\.failureClass.code) ?? "ok",
            detail: parts.compactMap(\.self).joined(separator: ": "),
            by: actor
        )
    }
}

extension SecretStep {
    /// As logs and the audit name it.
    public var word: String {
        switch self {
        case .began: "begin"
        case .staged: "stage"
        case .verified, .refused, .unproven: "verify"
        case .promoted(let isFinal): isFinal ? "promote --final" : "promote"
        case .fellBack, .notFallenBack: "fall back"
        case .rolledBack: "rollback"
        case .retired: "retire"
        case .requested: "request"
        case .created, .notIssued, .lost: "create"
        case .revoked, .notRevoked: "revoke"
        }
    }

    /// What kept it from being taken here.
    var obstacle: StoreError? {
        if case .notFallenBack(_, let error) = self { error } else { nil }
    }

    /// The key at its provider that it is about.
    public var issued: IssuedKey? {
        switch self {
        case .requested(let key), .created(let key), .lost(let key, _), .revoked(let key), .notRevoked(let key, _): key
        default: nil
        }
    }
}
