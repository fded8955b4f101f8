public import Synchronization
public import TokenBroker

/// A store without a disk: keeps what is saved as long as the test keeps it, and fails when told to.
public final class InMemoryStore: Store {
    public enum Operation: Hashable, CaseIterable, Sendable {
        case restore, saveToken, removeToken, saveHold, removeHold, noteCaughtUp, reserveGenerations
        case readRecord, writeRecord, removeRecord, takeLease, renewLease, releaseLease
    }

    fileprivate struct State {
        var failures: [Operation: StoreError] = [:]
        var calls: [Operation] = []
        var health: StoreHealth
        var tokens: [StoredTokenKey: Stamped<StoredToken>] = [:]
        var holds: [HoldKey: Stamped<StoredHold>] = [:]
        var records: [RecordID: VersionedRecord] = [:]
        var leases: [String: (lease: Lease, end: BootInstant)] = [:]
        var newestWrite: WallInstant?
        var isBehind = false
        var lastGeneration: Int64 = 0
        var lastVersion: Int64 = 0
        var lastTerm: Int64 = 0
    }

    private let state: Mutex<State>
    private let clock: any HostClock
    private let bootID: BootID
    /// Where groups of changes, and records that were read together, wait while a test has it closed.
    public let door = Door()
    /// How many changes came together, each time.
    public let groups = Mutex<[Int]>([])

    public init(clock: any HostClock, bootID: BootID = BootID("boot-1")) {
        self.clock = clock
        self.bootID = bootID
        state = Mutex(State(health: StoreHealth(state: .serving, since: clock.now().wall)))
    }

    /// Makes `operations` throw, and the health with them where it is noticed before, until ``mend()``.
    public func fail(
        _ operations: Set<Operation> = Set(Operation.allCases),
        with code: StoreError.Code = .unavailable,
        isNoticed: Bool = true
    ) {
        let now = clock.now().wall
        state.withLock { state in
            for operation in operations { state.failures[operation] = StoreError(code, "made to fail") }
            guard isNoticed else { return }
            state.health = StoreHealth(state: .failing(code), since: now, detail: "made to fail")
            state.isBehind = true
        }
    }

    public func mend() {
        let now = clock.now().wall
        state.withLock { state in
            state.failures = [:]
            state.health = StoreHealth(state: .serving, since: now)
        }
    }

    /// What was called, in order, failures included.
    public var calls: [Operation] { state.withLock { $0.calls } }

    public var health: StoreHealth { state.withLock { $0.health } }

    private func perform<Result>(
        _ operation: Operation,
        _ body: (inout State) throws(StoreError) -> sending Result
    ) throws(StoreError) -> sending Result {
        try state.withLock { (state) throws(StoreError) in
            state.calls.append(operation)
            if let failure = state.failures[operation] { throw failure }
            return try body(&state)
        }
    }

    private func stamp() -> WriteStamp {
        WriteStamp(bootID: bootID, writtenAt: clock.now().wall)
    }

    public func restore() async throws(StoreError) -> RestoredState {
        try perform(.restore) { state in
            RestoredState(
                tokens: Array(state.tokens.values),
                holds: Array(state.holds.values),
                newestWrite: state.newestWrite,
                isBehind: state.isBehind
            )
        }
    }

    public func save(_ token: StoredToken) async throws(StoreError) {
        let stamp = stamp()
        try perform(.saveToken) { state in
            state.tokens[token.key] = Stamped(token, stamp)
            state.noteWrite(stamp)
        }
    }

    public func removeToken(_ key: StoredTokenKey) async throws(StoreError) {
        try perform(.removeToken) { state in state.tokens[key] = nil }
    }

    public func save(_ hold: StoredHold) async throws(StoreError) {
        let stamp = stamp()
        try perform(.saveHold) { state in
            state.holds[hold.key] = Stamped(hold, stamp)
            state.noteWrite(stamp)
        }
    }

    public func removeHold(_ key: HoldKey) async throws(StoreError) {
        try perform(.removeHold) { state in state.holds[key] = nil }
    }

    public func noteCaughtUp() async throws(StoreError) {
        try perform(.noteCaughtUp) { state in state.isBehind = false }
    }

    public func reserveGenerations(_ count: Int64, above floor: Generation) async throws(StoreError) -> GenerationBlock
    {
        try perform(.reserveGenerations) { state in
            let first = max(state.lastGeneration, floor.number) + 1
            state.lastGeneration = first + count - 1
            return GenerationBlock(first: Generation(first), count: count)
        }
    }

    public func record(_ id: RecordID) async throws(StoreError) -> VersionedRecord? {
        try perform(.readRecord) { state in state.records[id] }
    }

    public func records(of kind: RecordID.Kind) async throws(StoreError) -> [VersionedRecord] {
        let records = try perform(.readRecord) { state in state.records.values.filter { $0.id.kind == kind } }
        await door.pass()
        return records
    }

    public func write(
        _ payload: Secret,
        to id: RecordID,
        expecting expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> VersionedRecord {
        let stamp = stamp()
        return try perform(.writeRecord) { (state) throws(StoreError) in
            try state.check(id, isAt: expected)
            state.lastVersion += 1
            let record = VersionedRecord(id: id, version: RecordVersion(state.lastVersion), payload: payload)
            state.records[id] = record
            state.noteWrite(stamp)
            return record
        }
    }

    public func remove(
        _ id: RecordID,
        expecting expected: RecordVersion,
        _ durability: Durability
    ) async throws(StoreError) {
        try perform(.removeRecord) { (state) throws(StoreError) in
            try state.check(id, isAt: expected)
            state.records[id] = nil
        }
    }

    public func apply(
        _ changes: [RecordChange],
        _ durability: Durability
    ) async throws(StoreError) -> [RecordChange.Result] {
        groups.withLock { $0.append(changes.count) }
        await door.pass()
        var results: [RecordChange.Result] = []
        for change in changes {
            let now = stamp()
            results.append(
                try perform(.writeRecord) { state in
                    guard state.records[change.id]?.version == change.expected else { return .conflict }
                    state.noteWrite(now)
                    guard let payload = change.payload else {
                        state.records[change.id] = nil
                        return .removed
                    }
                    state.lastVersion += 1
                    let version = RecordVersion(state.lastVersion)
                    state.records[change.id] = VersionedRecord(id: change.id, version: version, payload: payload)
                    return .written(version)
                }
            )
        }
        return results
    }

    public func takeLease(on key: String, by holder: String, for duration: Duration) async throws(StoreError) -> Lease?
    {
        let now = clock.now().boot
        return try perform(.takeLease) { state in
            if let held = state.leases[key], held.end > now, held.lease.holder != holder { return nil }
            state.lastTerm += 1
            let lease = Lease(key: key, holder: holder, term: state.lastTerm)
            state.leases[key] = (lease, now.advanced(by: duration))
            return lease
        }
    }

    public func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool {
        let now = clock.now().boot
        return try perform(.renewLease) { state in
            guard let held = state.leases[lease.key], held.lease == lease, held.end > now else { return false }
            state.leases[lease.key] = (lease, now.advanced(by: duration))
            return true
        }
    }

    public func release(_ lease: Lease) async throws(StoreError) {
        try perform(.releaseLease) { state in
            if state.leases[lease.key]?.lease == lease { state.leases[lease.key] = nil }
        }
    }
}

extension InMemoryStore.State {
    fileprivate mutating func noteWrite(_ stamp: WriteStamp) {
        newestWrite = max(newestWrite ?? stamp.writtenAt, stamp.writtenAt)
    }

    fileprivate func check(_ id: RecordID, isAt expected: RecordVersion?) throws(StoreError) {
        guard records[id]?.version == expected else { throw StoreError(.conflict, "the record was written meanwhile") }
    }
}

/// Lets callers through, or has them wait.
public final class Door: Sendable {
    private let state = Mutex<(isClosed: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    public init() {}

    public func close() {
        state.withLock { $0.isClosed = true }
    }

    public func open() {
        let waiting = state.withLock { state in
            defer { state = (false, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    public func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if state.isClosed { state.waiting.append(continuation) }
                return !state.isClosed
            }
            if isOpen { continuation.resume() }
        }
    }
}
