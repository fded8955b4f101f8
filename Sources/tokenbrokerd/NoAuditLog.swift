internal import TokenBroker

/// Nothing is written down yet.
struct NoAuditLog: AuditLog {
    func record(_ event: AuditEvent) {}
}
