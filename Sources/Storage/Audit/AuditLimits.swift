internal import TokenBroker

/// How many rows of each class the audit log keeps. The oldest of a class make room for its newest, never for another's.
public struct AuditLimits: Hashable, Sendable {
    /// A row each for what people decide: years of it.
    public var operation: Int64 = 100_000
    /// The mints of a day at one a second; at 300 bytes a row, 30 MB.
    public var routine: Int64 = 100_000
    /// Denials are counted together for each user and token, and who is denied decides how many there are.
    public var denial: Int64 = 10_000
    /// Each is a time in which the store failed.
    public var gap: Int64 = 1_000

    public init() {}

    subscript(auditClass: AuditClass) -> Int64 {
        switch auditClass {
        case .operation: operation
        case .routine: routine
        case .denial: denial
        case .gap: gap
        }
    }
}
