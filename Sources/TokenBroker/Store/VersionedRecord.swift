/// The name of a versioned record.
public struct RecordID: Hashable, Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// A single-use refresh token, by provider account.
        case refreshToken = "refresh-token"
        /// A version of a long-lived secret.
        case secretVersion = "secret-version"
        /// The assertion counter of a device's key.
        case deviceCounter = "device-counter"
        /// What operators decided at run time.
        case policy
    }

    public let kind: Kind
    public let key: String

    public init(_ kind: Kind, _ key: String) {
        self.kind = kind
        self.key = key
    }
}

/// A number that a record gets with each write; it only grows and never comes back, not even after a removal.
public struct RecordVersion: Hashable, Comparable, Sendable {
    public let number: Int64

    public init(_ number: Int64) {
        self.number = number
    }

    public static func < (lhs: RecordVersion, rhs: RecordVersion) -> Bool {
        lhs.number < rhs.number
    }
}

/// A value that is written by compare-and-set: two writers that read the same version cannot both succeed.
public struct VersionedRecord: Equatable, Sendable {
    public let id: RecordID
    public let version: RecordVersion
    public let payload: Secret

    public init(id: RecordID, version: RecordVersion, payload: Secret) {
        self.id = id
        self.version = version
        self.payload = payload
    }
}
