/// Where tokens are kept across a restart, and what encrypts them.
public struct StoreSettings: Hashable, Sendable {
    public static let defaultPath = "/var/lib/tokenbroker/broker.sqlite"

    /// Where the bytes of a store key are.
    public enum KeySource: Hashable, Sendable {
        case file(path: String)
        case credential(name: String)
    }

    public let path: String
    public let key: KeySource
    /// Named only while the key is being replaced.
    public let previousKey: KeySource?

    public init(path: String = Self.defaultPath, key: KeySource, previousKey: KeySource? = nil) {
        self.path = path
        self.key = key
        self.previousKey = previousKey
    }
}
