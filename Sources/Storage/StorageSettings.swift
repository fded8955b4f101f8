/// Where the store is, and what encrypts it.
public struct StorageSettings: Hashable, Sendable {
    public enum KeySource: Hashable, Sendable {
        /// A file of the operator's, held to the rules for secrets; made where neither it nor the store exists.
        case file(path: String)
        /// A file that the service manager passes in; `directory` is the value of `$CREDENTIALS_DIRECTORY`.
        case credential(name: String, directory: String?)
    }

    public let path: String
    public let key: KeySource
    /// Named only while the key is being replaced.
    public let previousKey: KeySource?
    public let auditLimits: AuditLimits

    public init(
        path: String,
        key: KeySource,
        previousKey: KeySource? = nil,
        auditLimits: AuditLimits = AuditLimits()
    ) {
        self.path = path
        self.key = key
        self.previousKey = previousKey
        self.auditLimits = auditLimits
    }
}
