/// One row of the audit log; the store does not look into it.
public struct AuditRow: Equatable, Sendable {
    /// Grows by each row, without reuse.
    public let sequence: Int64
    public let payload: [UInt8]

    public init(sequence: Int64, payload: [UInt8]) {
        self.sequence = sequence
        self.payload = payload
    }
}
