/// What a look through one chain of the audit log came to.
public struct AuditChainReport: Equatable, Sendable {
    /// The first thing that is wrong.
    public enum Fault: Equatable, Sendable {
        /// This row is not as it was written, or those before it are not all there.
        case row(Int64)
        /// Rows are missing at the end; this one was the last.
        case end(Int64)
        /// The store's own record of the chains was missing or changed; rows can be missing anywhere.
        case record
        /// This row is of no chain: somebody put it there, or made it out of another.
        case stray(Int64)
        /// The row that a known head tells of is not there, or is another one.
        case head(AuditHead)
    }

    public let auditClass: AuditClass
    /// How many rows there are.
    public var rows: Int64 = 0
    public var first: Int64?
    public var last: Int64?
    /// How many rows made room for newer ones, in the chain's whole life.
    public var pruned: Int64 = 0
    /// The last of those.
    public var prunedThrough: Int64?
    /// What the last row has to be; nil for a chain that never had one.
    public var head: AuditHead?
    /// Nil for a chain with which nothing is wrong.
    public var fault: Fault?

    public init(_ auditClass: AuditClass) {
        self.auditClass = auditClass
    }
}
