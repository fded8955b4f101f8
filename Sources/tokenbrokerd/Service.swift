internal import Configuration
internal import DeviceAttestation
internal import Digests
internal import EventLoop
internal import Glibc
internal import Logging
internal import ServiceManager
internal import Serving
internal import Storage
internal import TokenBroker
internal import Upstream

/// The running daemon: two loops, one that serves and one, on the main thread, that takes signals and reloads.
///
/// A reload looks up users and groups, which a directory service can hold up for seconds; on a loop of its own it holds
/// up nobody.
///
/// `@unchecked Sendable`: all its state is touched on the control loop's thread only, which is the main thread.
final class Service: @unchecked Sendable {
    /// For requests under way at a stop; systemd allows more before it kills.
    private static let drainDeadline: Duration = .seconds(5)
    /// For writing back what the store is to keep, on a disk that is slow.
    private static let savingDeadline: Duration = .seconds(30)

    private let path: String
    private let logger: Logger
    private let clock = SystemHostClock()
    private let report: ServiceReport
    private var watchdog: Watchdog?
    private let control: EventLoop
    private let serving: LoopThread
    private let sockets: Sockets
    private let client: UpstreamClient
    private let supplies: Supplies
    private let secretFiles: SecretFileSource
    private let keeper: SecretKeeper
    private let watch: SecretWatch
    private let store: OpenStore?
    private let audit: AuditRecorder
    private let mints: MintCounters
    private let broker: Broker
    private let policies: DevicePolicies
    private let policyReader: PolicyReader
    private let devices: Devices
    private var servers: LocalServers?
    private var configuration: Configuration
    private var facts: DaemonFacts
    /// The last of the reloads that the keeper has not come to the end of.
    private var reloading: Task<Void, Never>?
    private var isStopping = false
    /// Ends a drain that takes too long.
    private var drainTimer: Timer?
    private var status = ExitStatus.success

    init(
        _ path: String,
        _ configuration: Configuration,
        _ sockets: Sockets,
        _ environment: [String: String],
        _ memory: LockedMemory?,
        _ logger: Logger
    ) throws {
        self.path = path
        self.configuration = configuration
        self.sockets = sockets
        self.logger = logger
        control = try EventLoop()
        let credentials = CredentialsDirectory(environment: environment)?.path
        store = try OpenStore.open(
            configuration.store,
            credentials: credentials,
            clock: clock,
            control: control,
            logger: logger
        )
        let loop = try EventLoop()
        let alarm = Alarm(loop: loop)
        let (keeperAlarm, auditAlarm) = (Alarm(loop: control), Alarm(loop: control))
        let events = EventLog(logger: logger)
        audit = AuditRecorder(store: store?.audit, clock: clock, logger: logger, alarmChanged: auditAlarm.changed)
        mints = MintCounters(passingOnTo: MintAudit(audit, passingOnTo: events))
        client = UpstreamClient(clock: clock, userAgent: "tokenbroker/\(Product.version)")
        supplies = Supplies(client: client, clock: clock, store: store)
        secretFiles = SecretFileSource(credentialsDirectory: credentials)
        keeper = SecretKeeper(
            configuration.definition,
            source: JudgedSecrets(secretFiles, for: configuration.definition),
            ports: SecretKeeper.Ports(
                clock: clock,
                journal: store?.journal,
                fingerprint: { value in Hexadecimal.text(value.withBytes { SHA256.digest(of: $0) }) },
                observer: events,
                audit: audit,
                alarmChanged: keeperAlarm.changed
            ),
            seed: UInt64.random(in: .min ... .max)
        )
        control.wait { [keeper] in await keeper.begin() }
        broker = Broker(
            supplies.make(configuration.definition, secrets: keeper.inForce),
            ports: Broker.Ports(clock: clock, observer: mints, alarmChanged: alarm.changed),
            memory: store?.memory,
            seed: UInt64.random(in: .min ... .max)
        )
        policies =
            store?.policies(with: configuration.definition) ?? DevicePolicies(configuration.definition, store: nil)
        let reader = PolicyReader(policies: policies, logger: logger)
        policyReader = reader
        control.wait { await reader.read() }
        devices = try Devices(
            configuration.definition.devices,
            path: path,
            policy: policies,
            store: store?.memory.store,
            clock: clock,
            audit: audit
        )
        store?.restore(devices.gate, control: control)
        loop.onWallClockStep = { [broker] in broker.wallClockStepped() }
        serving = try LoopThread(running: loop, name: "serving")
        alarm.start(Alarm.Sleeper(broker))
        control.wait { [keeper, broker] in await keeper.attach(broker) }
        keeperAlarm.start(Alarm.Sleeper(keeper))
        auditAlarm.start(Alarm.Sleeper(audit))
        watch = SecretWatch(keeper, on: control, logger: logger)
        store?.whenRecovered { [keeper, broker, gate = devices.gate] in
            broker.storeRecovered()
            gate.storeRecovered()
            Task {
                await keeper.storeRecovered()
                await reader.read()
            }
        }
        facts = DaemonFacts(
            version: Product.version,
            processID: getpid(),
            startedAt: clock.now().wall,
            configurationPath: path
        )
        facts.warnings = configuration.warnings.map(\.description)
        facts.deviceObstacle = { [policies] in policies.inForce.obstacle }
        if let store {
            facts.storeHealth = { store.health }
            facts.auditHealth = { [audit] in audit.health }
        }
        if let memory {
            facts.secretMemory = { SecretMemoryUse(memory.usage) }
            memory.onUnlocked { [control] in control.post { Self.warnOfUnlockedMemory(logger) } }
        }
        let notifier = Notifier(environment: environment)
        report = ServiceReport(notifier, control: control, broker: broker, keeper: keeper, logger: logger)
        if let interval = Notifier.watchdogInterval(environment: environment) {
            watchdog = makeWatchdog(interval, alarm)
        }
    }

    private func makeWatchdog(_ interval: Duration, _ alarm: Alarm) -> Watchdog {
        var checks: [Watchdog.Part: Watchdog.Check] = [
            .appsSocket: { [control, sockets] answered throws(SystemError) in
                try SocketProbe(of: sockets.apps, on: control, answered)
            },
            .scheduler: { answered in alarm.tick(answered) },
        ]
        if let store { checks[.store] = { answered in store.tick(answered) } }
        return Watchdog(
            interval: interval,
            control: control,
            checks: checks,
            logger: logger,
            ping: { [report] in report.pingWatchdog() }
        )
    }

    /// Serves until a signal or a failure ends it.
    func run(_ signals: SignalSource) throws -> ExitStatus {
        try signals.deliver(on: control) { [self] in received($0) }
        warn(of: configuration)
        watch.follow(configuration.definition)
        // A file can have changed between its first reading and now.
        Task { [keeper] in await keeper.check() }
        startServing()
        broker.start()
        control.run()
        close()
        return status
    }

    private func startServing() {
        facts.examine = { [control] completion in control.post { [self] in examine(completion) } }
        let servers = LocalServers(
            loop: serving.loop,
            broker: broker,
            gate: devices.gate,
            clock: clock,
            logger: logger,
            facts: facts,
            operators: configuration.operators,
            observers: configuration.observers,
            connectionsPerUID: configuration.definition.limits.connectionsPerUID,
            mints: mints,
            policies: policies,
            keeper: keeper,
            readSecret: { (text) throws(SecretProblem) in
                try text.withUnsafeBufferPointer { (text) throws(SecretProblem) in
                    try SecretText.value(of: UnsafeRawBufferPointer(text), for: "the value")
                }
            },
            audit: audit,
            auditTrail: store == nil ? nil : audit,
            reload: { [control] completion in
                // Who has asked a broker that is stopping by now is answered by its drain.
                control.post { [self] in if !isStopping { completion(reload()) } }
            },
            onFailure: { [control] in control.post { [self] in fail() } }
        )
        self.servers = servers
        servers.start(apps: sockets.apps, admin: sockets.admin) { [control] result in
            control.post { [self] in started(result) }
        }
    }

    private func started(_ result: Result<Void, SystemError>) {
        switch result {
        case .success where isStopping: break
        case .success:
            report.ready()
            watchdog?.start()
            logger.notice(
                "Ready",
                [
                    .version: .string(Product.version), .configPath: .string(path),
                    .count: LogValue(configuration.definition.tokens.count),
                ]
            )
        case .failure(let error):
            logger.error("the sockets cannot be served", [.errorDetail: .string(error.description)])
            fail()
        }
    }

    // MARK: Signals

    private func received(_ signal: Signal) {
        switch signal {
        case .hangUp where !isStopping: audit.record(.reload(reload(), by: nil))
        case .interrupt, .terminate: stop()
        case .hangUp, .userDefined1, .userDefined2: break
        }
    }

    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        logger.notice("Draining")
        watchdog?.stop()
        report.draining(for: Self.drainDeadline)
        drainTimer = control.schedule(after: Self.drainDeadline) { [control] in control.stop() }
        servers?.drain { [control] in control.stop() }
    }

    /// A part of the daemon ended early. It does not carry on without it: the service manager starts a whole one.
    private func fail() {
        isStopping = true
        status = .failure
        control.stop()
    }

    private func close() {
        drainTimer?.cancel()
        watchdog?.stop()
        watch.stop()
        report.saving(for: Self.savingDeadline)
        broker.stop()
        serving.stop()
        devices.stop()
        if let store {
            store.close(after: broker, devices.gate, audit, control: control)
        } else {
            // What was only counted so far is yet to come into the journal.
            control.wait { [audit] in await audit.finish() }
        }
        client.close()
        sockets.close()
        logger.notice("Stopped")
    }

    // MARK: Reload

    /// Takes the configuration as it is now, whole or not at all.
    ///
    /// - Returns: what is wrong with it; nothing where it is in force.
    private func reload() -> [String] {
        report.reloading()
        defer { report.ready() }
        switch read() {
        case .success(let reading):
            take(reading)
            return []
        case .failure(let error): return refuse(error.problems)
        }
    }

    /// The configuration as it is now, if a reload would take it.
    private func read() -> Result<Reading, ReloadRefusal> {
        do throws(ConfigurationProblems) {
            let new = try ConfigurationLoader(kinds: Supplies.kinds).load(path: path)
            let refused = Configuration.changesRefusedOnReload(from: configuration, to: new)
            guard refused.isEmpty else {
                return .failure(
                    ReloadRefusal(refused.map { "\(path): \($0) cannot change while the daemon runs; restart it" })
                )
            }
            return .success(Reading(new, try Devices.verifier(new.definition.devices, path: path)))
        } catch {
            return .failure(ReloadRefusal(error.problems.map(\.description)))
        }
    }

    private func take(_ reading: Reading) {
        let new = reading.configuration
        configuration = new
        logger.setLevel(new.loggingLevel)
        facts.configurationLoadedAt = clock.now().wall
        facts.reloadProblems = []
        facts.warnings = new.warnings.map(\.description)
        // Before the routes, so that none of them is served by an earlier policy.
        policyReader.follow(new.definition)
        devices.gate.use(reading.verifier)
        takeSecrets(of: new.definition)
        broker.reload(supplies.make(new.definition, secrets: keeper.inForce))
        servers?.configurationChanged(operators: new.operators, observers: new.observers, facts: facts)
        logger.notice(
            "Configuration reloaded",
            [.configPath: .string(path), .count: LogValue(new.definition.tokens.count)]
        )
        warn(of: new)
    }

    /// What is minted with has to be there at once; what becomes of a changed value takes its time.
    private func takeSecrets(of definition: BrokerDefinition) {
        let source = JudgedSecrets(secretFiles, for: definition)
        keeper.inForce.fill(definition.secrets.values, from: source)
        watch.follow(definition)
        // One after the other: tasks begin in any order, and the last definition has to be the one that stays.
        reloading = Task { [keeper, previous = reloading] in
            await previous?.value
            await keeper.reload(definition, source: source)
        }
    }

    private func refuse(_ problems: [String]) -> [String] {
        for problem in problems {
            logger.error("the configuration was not taken", [.errorDetail: .string(problem)])
        }
        facts.reloadProblems = problems
        servers?.factsChanged(facts)
        return problems
    }

    private func warn(of configuration: Configuration) {
        for warning in configuration.warnings {
            logger.warning("Configuration is hardly meant so", [.errorDetail: .string(warning.description)])
        }
    }

    private static func warnOfUnlockedMemory(_ logger: Logger) {
        logger.warning(
            "Keys and tokens may be written to swap",
            [.errorDetail: "the limit for locked memory is too low: LimitMEMLOCK= of the unit"]
        )
    }

    // MARK: Examination

    private func examine(_ completion: @escaping @Sendable (Examination) -> Void) {
        var problems: [String] = []
        if case .failure(let refusal) = read() { problems = refusal.problems }
        let examination = Examination(
            of: configuration,
            problems: problems,
            secrets: SecretRound(secretFiles, keeper.inForce).run(configuration.definition)
        )
        let round = ProviderRound(client, configuration.definition.providers.values)
        Task {
            var examination = examination
            examination.providers = await round.run()
            completion(examination)
        }
    }
}

/// Why a configuration is not taken.
private struct ReloadRefusal: Error {
    let problems: [String]

    init(_ problems: [String]) {
        self.problems = problems
    }
}

extension SecretMemoryUse {
    fileprivate init(_ usage: LockedMemory.Usage) {
        self.init(lockedBytes: usage.locked, unlockedBytes: usage.unlocked)
    }
}

/// A configuration that a reload would take, with what was made of it to find that out.
private struct Reading {
    let configuration: Configuration
    let verifier: DeviceVerifier

    init(_ configuration: Configuration, _ verifier: DeviceVerifier) {
        self.configuration = configuration
        self.verifier = verifier
    }
}
