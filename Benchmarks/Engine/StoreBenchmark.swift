internal import Storage
internal import TokenBroker

/// How long a start takes that finds many tokens in the store: to open and check it, to decrypt every row, and to put the
/// tokens back into service.
struct StoreBenchmark {
    let folder: String
    private let tokens: UserTokens

    init(folder: String, users: Int) {
        self.folder = folder
        tokens = UserTokens(users: users)
    }

    /// Mints every token into the store.
    ///
    /// - Returns: how many there are.
    func fill() async throws -> Int {
        let store = open()
        let broker = try await broker(on: store)
        let count = await tokens.askForAll(broker)
        await broker.finishSaving()
        await store.close()
        return count
    }

    func millisecondsToRestart() async throws -> Int {
        let began = tokens.clock.now()
        let store = open()
        let broker = try await broker(on: store)
        broker.start()
        let duration = tokens.clock.now().boot.since(began.boot)
        let count = tokens.countCached(in: broker)
        await store.close()
        guard count == tokens.users else { throw BenchmarkFailure("only \(count) tokens came back") }
        return Int((duration / .milliseconds(1)).rounded(.up))
    }

    private func open() -> SQLiteStore {
        SQLiteStore(
            StorageSettings(path: "\(folder)/broker.sqlite", key: .file(path: "\(folder)/store.key")),
            ports: SQLiteStore.Ports(
                clock: tokens.clock,
                bootID: bootID,
                pause: { try await Task.sleep(for: $0) },
                healthChanged: { _, _ in }
            )
        )
    }

    /// As the daemon does it.
    private func broker(on store: SQLiteStore) async throws -> Broker {
        let restored = try await store.restore()
        let floor = Generation(tokens.clock.now().wall.milliseconds)
        let block = try await store.reserveGenerations(restored.generationsNeeded, above: floor)
        return tokens.broker(
            memory: Broker.Memory(store: store, restored: restored, bootID: bootID, generations: block)
        )
    }

    /// Both runs are of one boot.
    private var bootID: BootID { BootID("benchmark") }
}
