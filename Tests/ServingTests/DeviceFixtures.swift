import Synchronization
import TokenBroker

/// A store of records, which fails when told to.
final class RecordStore: Store {
    private struct State {
        var records: [RecordID: VersionedRecord] = [:]
        var lastVersion: Int64 = 0
        var failure: StoreError?
    }

    private let state = Mutex(State())

    func fail(_ failure: StoreError?) {
        state.withLock { $0.failure = failure }
    }

    var health: StoreHealth { StoreHealth(state: .serving, since: WallInstant(milliseconds: 0)) }

    func record(_ id: RecordID) async throws(StoreError) -> VersionedRecord? {
        try state.withLock { (state) throws(StoreError) in
            if let failure = state.failure { throw failure }
            return state.records[id]
        }
    }

    func write(
        _ payload: Secret,
        to id: RecordID,
        expecting expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> VersionedRecord {
        try state.withLock { (state) throws(StoreError) in
            if let failure = state.failure { throw failure }
            guard state.records[id]?.version == expected else { throw StoreError(.conflict, "written meanwhile") }
            state.lastVersion += 1
            let record = VersionedRecord(id: id, version: RecordVersion(state.lastVersion), payload: payload)
            state.records[id] = record
            return record
        }
    }

    func restore() async throws(StoreError) -> RestoredState { throw .unused }
    func save(_ token: StoredToken) async throws(StoreError) { throw .unused }
    func removeToken(_ key: StoredTokenKey) async throws(StoreError) { throw .unused }
    func save(_ hold: StoredHold) async throws(StoreError) { throw .unused }
    func removeHold(_ key: HoldKey) async throws(StoreError) { throw .unused }
    func reserveGenerations(_ count: Int64, above floor: Generation) async throws(StoreError) -> GenerationBlock {
        throw .unused
    }
    func records(of kind: RecordID.Kind) async throws(StoreError) -> [VersionedRecord] { throw .unused }
    func remove(_ id: RecordID, expecting expected: RecordVersion, _ durability: Durability) async throws(StoreError) {
        throw .unused
    }
    func takeLease(on key: String, by holder: String, for duration: Duration) async throws(StoreError) -> Lease? {
        throw .unused
    }
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool { throw .unused }
    func release(_ lease: Lease) async throws(StoreError) { throw .unused }
    func noteCaughtUp() async throws(StoreError) { throw .unused }
}

extension StoreError {
    fileprivate static let unused = StoreError(.unavailable, "nothing here does this")
}
