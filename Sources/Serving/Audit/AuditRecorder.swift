public import Logging
internal import Synchronization
public import TokenBroker

/// The audit log: a line in the journal at once, and a row in the store as soon as that takes it.
///
/// Nobody waits for it, and nothing that it cannot do is a reason not to serve.
public final class AuditRecorder: AuditLog {
    /// How often the last rows' codes go to the journal, where somebody who cuts the store's rows short does not reach
    /// them: what was written since then is all that can be taken out unseen.
    static let headInterval: Duration = .seconds(3600)

    fileprivate struct State {
        var tally = AuditTally()
        var queue = AuditQueue()
        /// The write under way; one at a time keeps the order.
        var writing: Task<Void, Never>?
        var nextHead: BootInstant?
        var alarm: BootInstant?
        var health = AuditHealth()
    }

    private let store: (any AuditStore)?
    private let clock: any HostClock
    private let logger: Logger
    private let alarmChanged: @Sendable () -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - store: nil keeps the log in the journal alone.
    ///   - alarmChanged: told when ``nextWake`` is another; called from any thread, and never under a lock.
    public init(
        store: (any AuditStore)?,
        clock: any HostClock,
        logger: Logger,
        alarmChanged: @escaping @Sendable () -> Void
    ) {
        self.store = store
        self.clock = clock
        self.logger = logger
        self.alarmChanged = alarmChanged
        var state = State()
        if store != nil { state.nextHead = clock.now().boot }
        self.state = Mutex(state)
    }

    /// How it is doing, for status and metrics.
    public var health: AuditHealth {
        state.withLock { state in
            var health = state.health
            health.unwritten = state.queue.unwritten
            return health
        }
    }

    // MARK: Recording

    public func record(_ event: AuditEvent) {
        let now = clock.now()
        if state.withLock({ $0.tally.admits(event, at: now.boot) }) { write(event, at: now) }
        announce()
    }

    /// Writes an event down whose line in the journal is written elsewhere.
    public func keep(_ event: AuditEvent) {
        keep(event, at: clock.now())
        announce()
    }

    private func write(_ event: AuditEvent, at now: Moment) {
        event.log(to: logger)
        keep(event, at: now)
    }

    private func keep(_ event: AuditEvent, at now: Moment) {
        guard let store else { return }
        let entry = AuditEntry(event, at: now.wall)
        state.withLock { state in
            state.queue.add(entry)
            beginWriting(&state, to: store, at: now.boot)
        }
    }

    // MARK: Writing

    private func beginWriting(_ state: inout State, to store: any AuditStore, at now: BootInstant) {
        guard state.writing == nil, let batch = state.queue.next(at: now) else { return }
        state.writing = Task { await write(batch, to: store) }
    }

    private func write(_ batch: AuditQueue.Batch, to store: any AuditStore) async {
        let gap = batch.gap.map { AuditEvent($0) }
        let entries = (gap.map { [AuditEntry($0, at: clock.now().wall)] } ?? []) + batch.entries
        var failure: StoreError?
        do throws(StoreError) {
            try await store.appendAudit(entries)
            if let gap { gap.log(to: logger) }
        } catch {
            failure = error
        }
        let now = clock.now().boot
        state.withLock { state in
            if let failure {
                state.queue.failed(batch, failure.code, at: now)
            } else {
                state.queue.written(batch)
                if gap != nil { state.health.gaps += 1 }
            }
            state.writing = nil
            beginWriting(&state, to: store, at: now)
        }
        announce()
    }

    /// Waits until all that was recorded before is written, or lost.
    private func settle() async {
        let goal = state.withLock { $0.queue.added }
        while let writing = state.withLock({ $0.queue.settled < goal ? $0.writing : nil }) { await writing.value }
    }

    /// Writes down what was only counted, waits until all is written and puts the heads into the journal.
    public func finish() async {
        let now = clock.now()
        for event in state.withLock({ $0.tally.takeAll() }) { write(event, at: now) }
        await settle()
        await logHeads()
        let unwritten = health.unwritten
        if unwritten > 0 { logger.warning("Audit rows were not written", [.count: LogValue(unwritten)]) }
    }

    // MARK: Time

    /// When ``wake()`` wants to be called; nil while nothing is due.
    public var nextWake: BootInstant? { state.withLock { $0.nextWake } }

    /// The instant that ``nextWake`` named has come.
    public func wake() {
        let now = clock.now()
        let (ended, isHeadDue) = state.withLock { state in
            if let store { beginWriting(&state, to: store, at: now.boot) }
            let isHeadDue = state.nextHead.map { $0 <= now.boot } ?? false
            if isHeadDue { state.nextHead = now.boot.advanced(by: Self.headInterval) }
            return (state.tally.takeEnded(at: now.boot), isHeadDue)
        }
        for event in ended { write(event, at: now) }
        if isHeadDue { Task { await logHeads() } }
        announce()
    }

    private func announce() {
        let isOther = state.withLock { state in
            defer { state.alarm = state.nextWake }
            return state.alarm != state.nextWake
        }
        if isOther { alarmChanged() }
    }

    private func logHeads() async {
        guard let store, let heads = try? await store.auditHeads() else { return }
        for head in heads { logger.notice("Audit log head", [.auditHead: .string(head.description)]) }
        let now = clock.now().wall
        state.withLock { $0.health.headAt = now }
    }
}

extension AuditRecorder: AuditTrail {
    public func rows(
        after sequence: Int64,
        since earliest: WallInstant?,
        limit: Int
    ) async throws(StoreError) -> [AuditRow] {
        guard let store else { return [] }
        await settle()
        return try await store.auditRows(after: sequence, since: earliest, limit: limit)
    }

    public func verify(against heads: [AuditHead]) async throws(StoreError) -> [AuditChainReport] {
        guard let store else { return [] }
        await settle()
        return try await store.verifyAudit(against: heads)
    }
}

extension AuditRecorder.State {
    fileprivate var nextWake: BootInstant? {
        [tally.nextEnd, queue.retryAt, nextHead].compactMap(\.self).min()
    }
}

extension AuditEntry {
    fileprivate init(_ event: AuditEvent, at instant: WallInstant) {
        self.init(event.kind.auditClass, at: instant, payload: AuditPayload.bytes(of: event))
    }
}

extension AuditEvent {
    fileprivate init(_ gap: AuditQueue.Gap) {
        self.init(
            .gap,
            "gap",
            outcome: gap.reason,
            detail: "not written since \(gap.since.rfc3339); the journal has them",
            count: gap.count
        )
    }
}
