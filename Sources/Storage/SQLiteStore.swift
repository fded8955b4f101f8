internal import Synchronization
public import TokenBroker

/// The store as a SQLite database on this host, every row encrypted.
///
/// It is opened by the first call. A store that cannot be opened or written is left as it is: calls throw, and it is tried
/// again every ``mendInterval`` until it can. A store that SQLite calls malformed is put aside and a new one begun, and the
/// call that met it goes on with that one.
public actor SQLiteStore: Store {
    /// How long until a store that failed is tried again.
    public static let mendInterval: Duration = .seconds(5)

    /// What the store needs from outside.
    public struct Ports: Sendable {
        public var clock: any HostClock
        public var bootID: BootID
        /// Waits; ends early, by throwing, when its task is cancelled.
        public var pause: @Sendable (Duration) async throws -> Void
        /// Called on the store's thread each time that ``SQLiteStore/health`` has become another.
        public var healthChanged: @Sendable (_ health: StoreHealth, _ before: StoreHealth) -> Void

        public init(
            clock: any HostClock,
            bootID: BootID,
            pause: @escaping @Sendable (Duration) async throws -> Void,
            healthChanged: @escaping @Sendable (_ health: StoreHealth, _ before: StoreHealth) -> Void
        ) {
            self.clock = clock
            self.bootID = bootID
            self.pause = pause
            self.healthChanged = healthChanged
        }
    }

    private nonisolated let thread = StoreThread()
    private nonisolated let currentHealth: Mutex<StoreHealth>
    nonisolated let settings: StorageSettings
    private nonisolated let behindMark: BehindMark
    nonisolated let ports: Ports

    private var lock: StoreLock?
    private var vault: Vault?
    private let unreadableRows = UnreadableRows()
    /// Why nothing can be written now; nil while it can.
    private var failure: StoreError?
    /// Whether an earlier process served what the store could not take in. This one knows of itself what it served.
    private(set) var isBehind: Bool
    private var mending: Task<Void, Never>?
    private var isClosed = false

    public init(_ settings: StorageSettings, ports: Ports) {
        self.settings = settings
        behindMark = BehindMark(besideStoreAt: settings.path)
        isBehind = behindMark.isSet
        self.ports = ports
        currentHealth = Mutex(StoreHealth(state: .unopened, since: ports.clock.now().wall))
    }

    deinit {
        mending?.cancel()
        thread.stop()
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    public nonisolated var health: StoreHealth { currentHealth.withLock { $0 } }

    /// Writes back what is in the log, closes the store and gives up its lock; later calls throw.
    public func close() {
        isClosed = true
        mending?.cancel()
        vault = nil
        lock = nil
    }

    public func noteCaughtUp() throws(StoreError) {
        if let failure { throw failure }
        try behindMark.clear()
        isBehind = false
    }

    /// Returns when the store's thread has come to it: a sign of life, of the thread and not of the file.
    public func takeTurn() {}

    // MARK: Transactions

    /// Reads, also while nothing can be written.
    func read<Result>(_ body: (Vault) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try attempt(body)
    }

    /// Writes as one transaction. While the store fails this throws at once: a caller that has a token to serve does not
    /// wait for a lock or a disk each time.
    func write<Result>(
        _ durability: Durability,
        _ body: (Vault) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        if let failure { throw failure }
        return try attempt { (vault) throws(StoreError) in
            try vault.database.transaction(durability) { () throws(StoreError) in try body(vault) }
        }
    }

    private func attempt<Result>(_ body: (Vault) throws(StoreError) -> Result) throws(StoreError) -> Result {
        do {
            defer { noteUnreadableRows() }
            do {
                return try body(opened())
            } catch  where error.code == .corrupt {
                try setAside(after: error)
                return try body(opened())
            }
        } catch {
            fail(error)
            throw error
        }
    }

    private func opened(evenAfterFailure isMending: Bool = false) throws(StoreError) -> Vault {
        if isClosed { throw StoreError(.unavailable, "\(settings.path): the store is closed") }
        if let vault { return vault }
        if let failure, !isMending { throw failure }
        return try open()
    }

    private func open() throws(StoreError) -> Vault {
        try Directory(of: settings.path).judge()
        let isTakenOver = lock == nil
        if isTakenOver { lock = try StoreLock(besideStoreAt: settings.path) }
        let vault: Vault
        do {
            vault = try Vault.open(settings, unreadableRows)
        } catch  where error.code == .corrupt {
            try setAside(after: error)
            vault = try Vault.open(settings, unreadableRows)
        }
        self.vault = vault
        if vault.database.isReadOnly {
            fail(StoreError(.readOnly, "\(settings.path): it cannot be written"))
        } else {
            // Those that this does not reach end by themselves.
            if isTakenOver { try? vault.endLeases() }
            succeed()
        }
        return vault
    }

    // MARK: Failures

    private func setAside(after error: StoreError) throws(StoreError) {
        // Its reader did not reckon with anybody's writing, which may be possible by now: it is opened anew before it is judged.
        if vault?.database.isReadOnly == true { throw error }
        vault = nil
        let path = try StoreFile(path: settings.path).setAside(at: ports.clock.now().wall)
        unreadableRows.forgetAll()
        changeHealth { health in
            health.setAsidePath = path
            health.unreadableRows = 0
        }
    }

    private func fail(_ error: StoreError) {
        switch error.code {
        case .conflict: return
        // With these the connection is as good as before; with the others it may not be.
        case .locked, .full, .readOnly: break
        default: vault = nil
        }
        guard !isClosed else { return }
        // Before the caller hears of it and serves what is not in the store. With these two nothing is served beside it.
        if error.code != .newerVersion, error.code != .inUse { behindMark.set() }
        failure = error
        changeHealth { health in
            health.state = .failing(error.code)
            health.detail = error.message
        }
        if error.code != .newerVersion { keepMending() }
    }

    private func succeed() {
        failure = nil
        changeHealth { health in
            health.state = .serving
            health.detail = health.setAsidePath.map { "a damaged store was put aside as \($0), and a new one begun" }
        }
    }

    private func keepMending() {
        guard mending == nil else { return }
        let pause = ports.pause
        mending = Task { [weak self] in
            repeat {
                do { try await pause(Self.mendInterval) } catch { return }
            } while await self?.mend() == false
        }
    }

    /// Tries whether the store can be written by now.
    ///
    /// - Returns: whether there is nothing left to try.
    private func mend() -> Bool {
        guard !isClosed, let failure else {
            mending = nil
            return true
        }
        do throws(StoreError) {
            // A connection that was opened for a file which could not be written stays so.
            if failure.code == .readOnly { vault = nil }
            let database = try opened(evenAfterFailure: true).database
            if database.isReadOnly { return false }
            try database.transaction(.ordinary) { () throws(StoreError) in
                _ = try database.run("UPDATE store_key SET salt = salt")
            }
            succeed()
        } catch {
            fail(error)
        }
        guard self.failure == nil else { return false }
        mending = nil
        return true
    }

    private func noteUnreadableRows() {
        changeHealth { $0.unreadableRows = unreadableRows.count }
    }

    private func changeHealth(_ change: (inout StoreHealth) -> Void) {
        let old = health
        var new = old
        change(&new)
        guard new != old else { return }
        if new.state != old.state { new.since = ports.clock.now().wall }
        currentHealth.withLock { $0 = new }
        ports.healthChanged(new, old)
    }
}
