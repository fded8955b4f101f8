public import EventLoop
public import Logging
public import TokenBroker

/// The two local sockets of a broker, served by one loop.
///
/// `@unchecked Sendable`: all its state is touched on the loop's thread only; every public method posts there.
public final class LocalServers: @unchecked Sendable {
    public typealias Reload = @Sendable (_ completion: @escaping @Sendable ([String]) -> Void) -> Void

    private let loop: EventLoop
    private let broker: Broker
    private let appsAPI: AppsAPI
    private let adminAPI: AdminAPI
    let apps: Server
    let admin: Server

    /// - Parameters:
    ///   - gate: what asks requests to routes for the devices behind them.
    ///   - connectionsPerUID: how many connections a user may have open on each socket.
    ///   - mints: what the broker's events are counted by.
    ///   - policies: the device policy, which operators read and set.
    ///   - keeper: what operators do with secrets goes to it.
    ///   - readSecret: makes a value out of what an operator gives.
    ///   - auditTrail: what was recorded; nil where nothing keeps it.
    ///   - reload: begins a reload somewhere else and calls the completion with the problems, none where it succeeded.
    ///   - onFailure: a socket is dead; the process should end.
    public init(
        loop: EventLoop,
        broker: Broker,
        gate: DeviceGate,
        clock: any HostClock,
        logger: Logger,
        facts: DaemonFacts,
        operators: [AdminPrincipal],
        observers: [AdminPrincipal],
        connectionsPerUID: Int,
        mints: MintCounters,
        policies: DevicePolicies,
        keeper: SecretKeeper,
        readSecret: @escaping SecretReader,
        audit: any AuditLog,
        auditTrail: (any AuditTrail)?,
        reload: @escaping Reload,
        onFailure: @escaping @Sendable () -> Void
    ) {
        self.loop = loop
        self.broker = broker
        let verdicts = DeviceVerdictCounters()
        let appsAPI = AppsAPI(broker: broker, gate: gate, verdicts: verdicts, clock: clock, audit: audit)
        let (appsMetrics, adminMetrics) = (SocketMetrics("apps"), SocketMetrics("admin"))
        adminAPI = AdminAPI(
            broker: broker,
            gate: gate,
            clock: clock,
            audit: audit,
            auditTrail: auditTrail,
            facts: facts,
            access: AdminAccess(operators: operators, observers: observers),
            metrics: AdminAPI.Metrics(sockets: [appsMetrics, adminMetrics], mints: mints, verdicts: verdicts),
            policies: policies,
            secrets: SecretDesk(keeper, read: readSecret, clock: clock, audit: audit),
            startReload: reload,
            onDrop: { appsAPI.definitionChanged() }
        )
        self.appsAPI = appsAPI
        apps = Server(
            appsMetrics,
            loop: loop,
            handler: appsAPI,
            logger: logger,
            connectionsPerUID: connectionsPerUID,
            onFailure: onFailure
        )
        admin = Server(
            adminMetrics,
            loop: loop,
            handler: adminAPI,
            logger: logger,
            connectionsPerUID: connectionsPerUID,
            onFailure: onFailure
        )
    }

    /// Begins to accept on both sockets; `completion` is called on the loop's thread.
    public func start(
        apps appsListener: any Listener,
        admin adminListener: any Listener,
        _ completion: @escaping @Sendable (Result<Void, SystemError>) -> Void
    ) {
        loop.post { [self] in
            do throws(SystemError) {
                try admin.start(on: adminListener, reservesDescriptors: false)
                try apps.start(on: appsListener, reservesDescriptors: true)
                completion(.success(()))
            } catch {
                completion(.failure(error))
            }
        }
    }

    /// The broker has a new definition.
    public func configurationChanged(operators: [AdminPrincipal], observers: [AdminPrincipal], facts: DaemonFacts) {
        loop.post { [self] in
            adminAPI.access = AdminAccess(operators: operators, observers: observers)
            adminAPI.facts = facts
            appsAPI.definitionChanged()
            let connectionsPerUID = broker.definition.limits.connectionsPerUID
            for server in [apps, admin] { server.definitionChanged(connectionsPerUID: connectionsPerUID) }
        }
    }

    /// A reload was not taken.
    public func factsChanged(_ facts: DaemonFacts) {
        loop.post { [self] in adminAPI.facts = facts }
    }

    /// Stops accepting and ends all connections once their present requests are answered; `completion` is called on the
    /// loop's thread when the last is gone.
    public func drain(_ completion: @escaping @Sendable () -> Void) {
        loop.post { [self] in
            adminAPI.isStopping = true
            apps.drain { [self] in admin.drain(completion) }
        }
    }
}
