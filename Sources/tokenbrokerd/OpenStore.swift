internal import Configuration
internal import EventLoop
internal import Glibc
internal import Logging
internal import Providers
internal import Serving
internal import Storage
internal import Synchronization
internal import TokenBroker

/// The configured store, opened, with what an earlier run left in it.
struct OpenStore: Sendable {
    let memory: Broker.Memory
    /// Which first refresh tokens were spent, whatever becomes of the store.
    let seeds: any SeedLedger
    let bootID: BootID
    /// Whether what an earlier run left behind could be read, and generations be had.
    private let isUsable: Bool
    private let store: SQLiteStore
    private let recovery: Recovery

    /// Waits for the store on the control loop, which does nothing else yet.
    ///
    /// - Returns: nil where the configuration names no store.
    /// - Throws: ``StoreError`` where the daemon must not go on beside this store. Any other trouble is no reason not to
    ///   serve: the store says so in its health and mends itself.
    static func open(
        _ settings: StoreSettings?,
        credentials: String?,
        clock: any HostClock,
        control: EventLoop,
        logger: Logger
    ) throws(StoreError) -> OpenStore? {
        guard let settings else { return nil }
        let bootID = BootID.ofHost
        let recovery = Recovery()
        let store = SQLiteStore(
            StorageSettings(settings, credentials: credentials),
            ports: SQLiteStore.Ports(
                clock: clock,
                bootID: bootID,
                pause: { try await Task.sleep(for: $0) },
                healthChanged: { report($0, after: $1, to: logger, recovery) }
            )
        )
        let seeds = SpentSeeds(file: SeedFile(besideStoreAt: settings.path, of: store))
        let restored = control.wait { await restore(store, clock) }
        switch restored {
        case .success(let (state, generations)):
            let memory = Broker.Memory(store: store, restored: state, bootID: bootID, generations: generations)
            return OpenStore(
                memory: memory,
                seeds: seeds,
                bootID: bootID,
                isUsable: generations != nil,
                store: store,
                recovery: recovery
            )
        case .failure(let error) where error.code == .newerVersion || error.code == .inUse: throw error
        case .failure:
            let memory = Broker.Memory(store: store, restored: nil, bootID: bootID, generations: nil)
            return OpenStore(
                memory: memory,
                seeds: seeds,
                bootID: bootID,
                isUsable: false,
                store: store,
                recovery: recovery
            )
        }
    }

    var health: StoreHealth { store.health }
    var audit: any AuditStore { store }
    var journal: any SecretJournal { SecretArchive(store) }

    /// Calls `fill` when a store that failed works again, to have it read and filled.
    func whenRecovered(_ fill: @escaping @Sendable () -> Void) {
        recovery.fill.withLock { $0 = fill }
        // It may have begun to work since it failed, when there was nobody to tell.
        if !isUsable, store.health.state == .serving { fill() }
    }

    /// Gives `gate` the devices of an earlier run; waits for the store on the control loop.
    func restore(_ gate: DeviceGate, control: EventLoop) {
        control.wait { await gate.restore() }
    }

    /// The policy that holds with `definition`, yet to be read.
    func policies(with definition: BrokerDefinition) -> DevicePolicies {
        DevicePolicies(definition, store: store) { [store] (id) async throws(StoreError) in
            try await store.mayHaveLost(id.kind)
        }
    }

    /// Calls `done`, on any thread, when the store's thread has come to it.
    func tick(_ done: @escaping @Sendable () -> Void) {
        Task { [store] in
            await store.takeTurn()
            done()
        }
    }

    /// Writes back what is to be kept and lets go of the store.
    func close(after broker: Broker, _ gate: DeviceGate, _ audit: AuditRecorder, control: EventLoop) {
        control.wait {
            await broker.finishSaving()
            await gate.finishSaving()
            await audit.finish()
            await store.close()
        }
    }

    private typealias Restored = Result<(RestoredState, GenerationBlock?), StoreError>

    private static func restore(_ store: SQLiteStore, _ clock: any HostClock) async -> Restored {
        do throws(StoreError) {
            let state = try await store.restore()
            // Above the clock's too, by which runs without a store count.
            let floor = Generation.first(at: clock.now().wall)
            let block = try? await store.reserveGenerations(state.generationsNeeded, above: floor)
            return .success((state, block))
        } catch {
            return .failure(error)
        }
    }

    private static func report(
        _ health: StoreHealth,
        after before: StoreHealth,
        to logger: Logger,
        _ recovery: Recovery
    ) {
        if health.unreadableRows > before.unreadableRows {
            logger.error("rows of the store do not decrypt", [.count: LogValue(health.unreadableRows)])
        }
        // A store is not filled anew for some of its rows.
        guard (health.state, health.detail, health.setAsidePath) != (before.state, before.detail, before.setAsidePath)
        else { return }
        var metadata: LogMetadata = [.state: .string(health.stateText)]
        if let detail = health.detail { metadata[.errorDetail] = .string(detail) }
        if let path = health.setAsidePath { metadata[.storePath] = .string(path) }
        switch health.state {
        case .serving:
            logger.notice("Store is open", metadata)
            recovery.fill.withLock { $0 }?()
        case .failing: logger.error("the store fails, tokens are kept in memory", metadata)
        case .unopened: break
        }
    }
}

/// What fills a store that works again; nothing until there is a broker.
private final class Recovery: Sendable {
    let fill = Mutex<(@Sendable () -> Void)?>(nil)
}

/// The file as the providers' port.
private struct SpentSeeds: SeedLedger {
    let file: SeedFile

    func owner(of fingerprint: String) async throws(StoreError) -> Name? {
        try await file.owner(of: fingerprint)
    }

    func claim(_ fingerprint: String, for account: Name) async throws(StoreError) -> Name {
        try await file.claim(fingerprint, for: account)
    }
}

extension StorageSettings {
    fileprivate init(_ settings: StoreSettings, credentials: String?) {
        self.init(
            path: settings.path,
            key: KeySource(settings.key, credentials: credentials),
            previousKey: settings.previousKey.map { KeySource($0, credentials: credentials) }
        )
    }
}

extension StorageSettings.KeySource {
    fileprivate init(_ source: StoreSettings.KeySource, credentials: String?) {
        switch source {
        case .file(let path): self = .file(path: path)
        case .credential(let name): self = .credential(name: name, directory: credentials)
        }
    }
}

extension BootID {
    /// Of the kernel that runs now. A kernel that does not tell counts as another one each time: rows are then judged by
    /// the calendar clock alone.
    fileprivate static var ofHost: BootID {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return BootID("unknown-\(UInt64.random(in: .min ... .max))") }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = max(0, read(descriptor, &buffer, buffer.count))
        return BootID(String(decoding: buffer.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self))
    }
}
