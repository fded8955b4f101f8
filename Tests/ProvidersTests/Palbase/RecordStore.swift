import Synchronization
import TokenBroker

/// The records and leases of a store, without a disk; it fails when told to. Providers use nothing else of one.
final class RecordStore: Store {
    private struct State {
        var records: [RecordID: VersionedRecord] = [:]
        var leases: [String: (lease: Lease, end: BootInstant)] = [:]
        var lastVersion: Int64 = 0
        var lastTerm: Int64 = 0
        var writesLeft: Int?
        var durabilities: [Durability] = []
    }

    private let clock: any HostClock
    private let state = Mutex(State())

    init(clock: any HostClock) {
        self.clock = clock
    }

    /// Lets so many more records be written, and then none; nil: all.
    func allowWrites(_ count: Int?) {
        state.withLock { $0.writesLeft = count }
    }

    /// Loses all it has, as a damaged store that is put aside; leases end with the process that held them.
    func loseAll() {
        state.withLock { state in
            state.records = [:]
            state.leases = [:]
        }
    }

    /// What a new process finds.
    func restart() {
        state.withLock { $0.leases = [:] }
    }

    var payloads: [String] {
        state.withLock { state in
            state.records.values.map { $0.payload.withBytes { String(decoding: $0, as: UTF8.self) } }
        }
    }

    /// Puts something else into every record.
    func overwrite(_ payload: String) {
        state.withLock { state in
            for (id, record) in state.records {
                state.records[id] = VersionedRecord(id: id, version: record.version, payload: Secret(payload.utf8))
            }
        }
    }

    var areWritesDurable: Bool {
        state.withLock { state in
            state.durabilities.allSatisfy { if case .durable = $0 { true } else { false } }
        }
    }

    var health: StoreHealth { StoreHealth(state: .serving, since: clock.now().wall) }

    func record(_ id: RecordID) async throws(StoreError) -> VersionedRecord? {
        state.withLock { $0.records[id] }
    }

    func write(
        _ payload: Secret,
        to id: RecordID,
        expecting expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> VersionedRecord {
        try state.withLock { (state) throws(StoreError) in
            if let left = state.writesLeft {
                guard left > 0 else { throw StoreError(.full, "made to fail") }
                state.writesLeft = left - 1
            }
            guard state.records[id]?.version == expected else { throw StoreError(.conflict, "written meanwhile") }
            state.lastVersion += 1
            let record = VersionedRecord(id: id, version: RecordVersion(state.lastVersion), payload: payload)
            state.records[id] = record
            state.durabilities.append(durability)
            return record
        }
    }

    func takeLease(on key: String, by holder: String, for duration: Duration) async throws(StoreError) -> Lease? {
        let now = clock.now().boot
        return try state.withLock { (state) throws(StoreError) in
            if state.writesLeft == 0 { throw StoreError(.full, "made to fail") }
            if let held = state.leases[key], held.end > now, held.lease.holder != holder { return nil }
            state.lastTerm += 1
            let lease = Lease(key: key, holder: holder, term: state.lastTerm)
            state.leases[key] = (lease, now.advanced(by: duration))
            return lease
        }
    }

    func release(_ lease: Lease) async throws(StoreError) {
        state.withLock { state in
            if state.leases[lease.key]?.lease == lease { state.leases[lease.key] = nil }
        }
    }
}

extension Store {
    // What a provider has no use for.
    func restore() async throws(StoreError) -> RestoredState { throw .unused }
    func save(_ token: StoredToken) async throws(StoreError) { throw .unused }
    func removeToken(_ key: StoredTokenKey) async throws(StoreError) { throw .unused }
    func save(_ hold: StoredHold) async throws(StoreError) { throw .unused }
    func removeHold(_ key: HoldKey) async throws(StoreError) { throw .unused }
    func noteCaughtUp() async throws(StoreError) { throw .unused }
    func reserveGenerations(_ count: Int64, above floor: Generation) async throws(StoreError) -> GenerationBlock {
        throw .unused
    }
    func records(of kind: RecordID.Kind) async throws(StoreError) -> [VersionedRecord] { throw .unused }
    func remove(_ id: RecordID, expecting expected: RecordVersion, _ durability: Durability) async throws(StoreError) {
        throw .unused
    }
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool { throw .unused }
}

extension StoreError {
    fileprivate static let unused = StoreError(.unavailable, "no provider does this")
}

/// The store of a broker that can die.
struct MortalStore: Store {
    let fate: Fate
    let store: RecordStore

    private static let death = StoreError(.unavailable, "dead")

    init(fate: Fate, store: RecordStore) {
        self.fate = fate
        self.store = store
    }

    var health: StoreHealth { store.health }

    func record(_ id: RecordID) async throws(StoreError) -> VersionedRecord? {
        try await fate.perform(orDie: Self.death) { () async throws(StoreError) in try await store.record(id) }
    }

    func write(
        _ payload: Secret,
        to id: RecordID,
        expecting expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> VersionedRecord {
        try await fate.perform(orDie: Self.death) { () async throws(StoreError) in
            try await store.write(payload, to: id, expecting: expected, durability)
        }
    }

    func takeLease(on key: String, by holder: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try await fate.perform(orDie: Self.death) { () async throws(StoreError) in
            try await store.takeLease(on: key, by: holder, for: duration)
        }
    }

    func release(_ lease: Lease) async throws(StoreError) {
        try await fate.perform(orDie: Self.death) { () async throws(StoreError) in try await store.release(lease) }
    }
}
