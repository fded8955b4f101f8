internal import TokenBroker

/// What waits to be written to the store.
///
/// While the store fails, events are counted and not kept: the journal has them. The count is written down as one row
/// when the store works again.
struct AuditQueue {
    /// More than a second's worth of a busy broker; what comes while as many wait is counted as lost.
    static let capacity = 4096
    /// How many rows one transaction writes: few enough that a token which is to be saved does not wait long.
    static let rowsPerBatch = 256
    /// How long until a store that failed is tried again. It answers at once while it knows that it fails.
    static let pause: Duration = .seconds(1)

    /// Events that were not written.
    struct Gap: Equatable {
        let count: Int
        /// When the first of them happened.
        let since: WallInstant
        /// Why: the store's code, or that there were too many at once.
        var reason: String
    }

    struct Batch: Equatable {
        var gap: Gap?
        var entries: [AuditEntry]
    }

    private var waiting: [AuditEntry] = []
    /// What was lost since the batch under way was taken, or at all where none is.
    private var gap: Gap?
    /// What the batch under way tells of.
    private var told: Gap?
    /// Why the store does not take anything now.
    private var failure: StoreError.Code?
    /// When a store that failed is to be tried again.
    private(set) var retryAt: BootInstant?
    /// How many events have come, and how many of them were written or lost.
    private(set) var added = 0
    private(set) var settled = 0

    var unwritten: Int { waiting.count + (told?.count ?? 0) + (gap?.count ?? 0) }

    mutating func add(_ entry: AuditEntry) {
        added += 1
        if let failure {
            lose(1, since: entry.at, failure.rawValue)
        } else if waiting.count < Self.capacity {
            waiting.append(entry)
        } else {
            lose(1, since: entry.at, "too_many")
        }
    }

    /// What is to be written now; nil where there is nothing, or not yet.
    mutating func next(at now: BootInstant) -> Batch? {
        if let retryAt, now < retryAt { return nil }
        retryAt = nil
        guard gap != nil || !waiting.isEmpty else { return nil }
        let batch = Batch(gap: gap, entries: Array(waiting.prefix(Self.rowsPerBatch)))
        waiting.removeFirst(batch.entries.count)
        (told, gap) = (gap, nil)
        return batch
    }

    mutating func written(_ batch: Batch) {
        failure = nil
        settled += batch.entries.count
        told = nil
    }

    mutating func failed(_ batch: Batch, _ code: StoreError.Code, at now: BootInstant) {
        failure = code
        retryAt = now.advanced(by: Self.pause)
        let later = gap
        (gap, told) = (told, nil)
        // In the order in which they happened.
        let lost = batch.entries + waiting
        waiting = []
        if let first = lost.first { lose(lost.count, since: first.at, code.rawValue) }
        if let later { gap = gap?.joined(with: later) ?? later }
        if !lost.isEmpty { gap?.reason = code.rawValue }
    }

    private mutating func lose(_ count: Int, since instant: WallInstant, _ reason: String) {
        settled += count
        let lost = Gap(count: count, since: instant, reason: reason)
        gap = gap?.joined(with: lost) ?? lost
    }
}

extension AuditQueue.Gap {
    /// Both as one; the reason is that of the later one.
    fileprivate func joined(with later: Self) -> Self {
        Self(count: count + later.count, since: since, reason: later.reason)
    }
}
