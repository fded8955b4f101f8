/// A kind of rows of the audit log, with a chain and a quota of its own: many rows of one class never push out those of
/// another.
public enum AuditClass: String, CaseIterable, Sendable {
    /// What people decided: operators' actions, steps of secrets, reloads.
    case operation = "operator"
    /// Mints, devices that came to be known, and requests that a gate only looked at.
    case routine
    /// Who was turned away, which whoever is turned away can make happen.
    case denial
    /// What could not be written.
    case gap
}

extension AuditEvent.Kind {
    /// Where events of this kind are written down.
    public var auditClass: AuditClass {
        switch self {
        case .operation, .secret, .reload: .operation
        case .mint, .forcedMint, .device, .monitored: .routine
        case .denial: .denial
        case .gap: .gap
        }
    }
}
