public import TokenBroker

/// How the audit log is doing, for status and metrics.
public struct AuditHealth: Equatable, Sendable {
    /// How often events could not be written and a row says so instead, in the life of this process.
    public var gaps: UInt64 = 0
    /// Events that are in the journal and not in the store, or not yet.
    public var unwritten = 0
    /// When the journal last got the chains' heads.
    public var headAt: WallInstant?
}
