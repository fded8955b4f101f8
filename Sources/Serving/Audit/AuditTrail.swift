public import TokenBroker

/// The port to what was written down, for those who look into it.
public protocol AuditTrail: Sendable {
    /// Rows in order, those of all that was recorded before the call among them; as ``AuditStore`` has them.
    func rows(after sequence: Int64, since earliest: WallInstant?, limit: Int) async throws(StoreError) -> [AuditRow]

    /// Looks through all rows; see ``AuditStore/verifyAudit(against:)``.
    func verify(against heads: [AuditHead]) async throws(StoreError) -> [AuditChainReport]
}
