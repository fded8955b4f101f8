/// The port to the rows of the audit log.
///
/// The rows of each class are a chain: each is authenticated together with the one before it, so that none can be
/// changed, moved or taken out unseen by anybody who has the store and not its key. Who has an older copy of the whole
/// store can put that back; ``auditHeads()``, kept elsewhere, shows it.
public protocol AuditStore: Sendable {
    /// Appends rows in order, all or none, and lets go of the oldest of their classes where those have too many.
    ///
    /// - Returns: the sequence number of the last one; nil when `entries` is empty.
    @discardableResult
    func appendAudit(_ entries: [AuditEntry]) async throws(StoreError) -> Int64?

    /// Rows of all classes in order, at most `limit`.
    ///
    /// - Parameters:
    ///   - sequence: only rows with a greater number.
    ///   - earliest: only rows of events that happened then or later.
    func auditRows(
        after sequence: Int64,
        since earliest: WallInstant?,
        limit: Int
    ) async throws(StoreError) -> [AuditRow]

    /// The last row of each class that has had any.
    func auditHeads() async throws(StoreError) -> [AuditHead]

    /// Looks through all rows.
    ///
    /// - Parameter heads: what ``auditHeads()`` said at another time: rows that must be there, unless they were pruned.
    /// - Returns: a report for each class.
    func verifyAudit(against heads: [AuditHead]) async throws(StoreError) -> [AuditChainReport]
}

/// A row to be written; the store does not look into its payload.
public struct AuditEntry: Equatable, Sendable {
    public let auditClass: AuditClass
    /// When what it tells of happened.
    public let at: WallInstant
    public let payload: [UInt8]

    public init(_ auditClass: AuditClass, at: WallInstant, payload: [UInt8]) {
        self.auditClass = auditClass
        self.at = at
        self.payload = payload
    }
}

/// One row of the audit log.
public struct AuditRow: Equatable, Sendable {
    /// Grows by each row, without reuse, whatever their classes.
    public let sequence: Int64
    public let at: WallInstant
    /// Nil for a row that does not decrypt: somebody changed it.
    public let payload: [UInt8]?

    public init(sequence: Int64, at: WallInstant, payload: [UInt8]?) {
        self.sequence = sequence
        self.at = at
        self.payload = payload
    }
}
