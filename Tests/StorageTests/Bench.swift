import Synchronization
import TokenBroker

@testable import Storage

/// Both clocks, moved by the test.
final class ManualClock: HostClock {
    private let moment = Mutex(
        Moment(boot: BootInstant(nanoseconds: 1_000_000_000_000), wall: WallInstant(milliseconds: 1_775_000_000_000))
    )

    func now() -> Moment { moment.withLock { $0 } }

    func advance(_ duration: Duration) {
        moment.withLock { $0 = $0.advanced(by: duration) }
    }
}

/// One store with its surroundings in hand.
struct Bench {
    let store: SQLiteStore
    let clock: ManualClock
    let settings: StorageSettings
    private let ticks: AsyncStream<Void>.Continuation
    private let healths: AsyncStream<StoreHealth>

    init(
        _ settings: StorageSettings,
        clock: ManualClock = ManualClock(),
        bootID: BootID = BootID("boot-1")
    ) {
        let (pauses, ticks) = AsyncStream<Void>.makeStream()
        let (healths, changes) = AsyncStream<StoreHealth>.makeStream()
        self.ticks = ticks
        self.healths = healths
        self.clock = clock
        self.settings = settings
        store = SQLiteStore(
            settings,
            ports: SQLiteStore.Ports(
                clock: clock,
                bootID: bootID,
                pause: { _ in
                    for await _ in pauses { return }
                    throw CancellationError()
                },
                healthChanged: { health, _ in changes.yield(health) }
            )
        )
    }

    init(_ folder: TemporaryFolder, clock: ManualClock = ManualClock(), bootID: BootID = BootID("boot-1")) {
        self.init(
            StorageSettings(path: folder.storePath, key: .file(path: folder.keyPath)),
            clock: clock,
            bootID: bootID
        )
    }

    /// Ends one pause between two attempts to mend the store, or the next one if none is under way.
    func endPause() {
        ticks.yield()
    }

    /// Waits until the store says of itself that it is so.
    func waitUntil(_ state: StoreHealth.State) async {
        if store.health.state == state { return }
        // What is in the stream can be older than the present.
        for await _ in healths where store.health.state == state { return }
    }
}

/// Runs `body` and says with which code it failed; nil when it did not.
func failureCode(_ body: () async throws(StoreError) -> Void) async -> StoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return error.code
    }
}

extension StoredToken {
    static func sample(
        _ name: Name = "web",
        subject: String? = nil,
        text: String = "at_v1_sample",
        generation: Int64 = 1,
        definitionDigest: String = "digest"
    ) -> StoredToken {
        StoredToken(
            key: StoredTokenKey(name: name, subject: subject),
            definitionDigest: definitionDigest,
            text: Secret(text.utf8),
            generation: Generation(generation),
            issuedAt: ManualClock().now(),
            lifetime: .seconds(3600),
            providerExpiry: WallInstant(milliseconds: 1_775_003_600_000),
            refreshAge: .seconds(2700),
            secretVersion: 7,
            scope: "read write"
        )
    }
}

extension StoredHold {
    static let sample = StoredHold(
        key: HoldKey(account: "account", endpoint: "token"),
        failureCode: "provider_rate_limited",
        detail: "the provider asked for a pause",
        providerStatus: 429,
        providerCode: "RATE_LIMITED",
        providerRequestID: "req-1",
        until: ManualClock().now().advanced(by: .seconds(60)),
        attempts: 3
    )
}

extension RestoredState {
    var texts: [String] {
        tokens.map { $0.value.text.withBytes { String(decoding: $0, as: UTF8.self) } }.sorted()
    }
}
