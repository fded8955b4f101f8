/// Why the store did not do what it was asked for.
///
/// The text is safe for any reader: it names files and conditions, never a value, a key or an argument of a statement.
public struct StoreError: Error, Equatable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// The store could not be reached, for a reason that no other code names.
        case unavailable
        /// Another broker holds this store.
        case inUse = "in_use"
        /// Somebody else kept the store locked for longer than the broker waits.
        case locked
        /// There is no room left for what was to be written.
        case full
        /// It can be read and not written.
        case readOnly = "read_only"
        /// The encryption key is not there or cannot be used.
        case keyUnusable = "key_unusable"
        /// The store was encrypted with another key.
        case wrongKey = "wrong_key"
        /// What is there is another application's.
        case foreign
        /// The record is not at the version that the caller expected: somebody else wrote it meanwhile.
        case conflict
        /// The store is damaged.
        case corrupt
        /// A newer version of the broker wrote it; it is left alone.
        case newerVersion = "newer_version"
    }

    public let code: Code
    /// One sentence for people: what is wrong and, where there is one, the remedy.
    public let message: String
    /// What the failure came from, where it came from another one.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }

    public static func == (lhs: StoreError, rhs: StoreError) -> Bool {
        lhs.code == rhs.code
    }
}
