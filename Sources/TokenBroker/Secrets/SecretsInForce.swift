internal import Synchronization

/// What is minted with now: for each secret the value of its active version. Read by every mint, without waiting.
public final class SecretsInForce: Sendable {
    /// A value with the version it is of.
    public struct Key: Sendable {
        public let value: Secret
        /// Nil where versions are not kept.
        public let version: SecretVersionNumber?

        public init(_ value: Secret, version: SecretVersionNumber? = nil) {
            self.value = value
            self.version = version
        }
    }

    private let keys = Mutex<[Name: Result<Key, SecretProblem>]>([:])
    private let refusals = Mutex<(@Sendable (Name, SecretVersionNumber, MintFailure) -> Void)?>(nil)

    /// - Parameter values: for a broker whose secrets do not change.
    public init(_ values: [Name: Secret] = [:]) {
        keys.withLock { $0 = values.mapValues { .success(Key($0)) } }
    }

    /// The value to mint with.
    ///
    /// - Throws: why there is none.
    public func key(_ secret: Name) throws(SecretProblem) -> Key {
        guard let key = keys.withLock({ $0[secret] }) else {
            throw SecretProblem(.missing, "secret \(secret): there is no value yet")
        }
        return try key.get()
    }

    public func put(_ key: Result<Key, SecretProblem>, for secret: Name) {
        keys.withLock { $0[secret] = key }
    }

    /// Has values for secrets that have none yet, as their sources give them: a configuration that names more of them is
    /// in force at once.
    public func fill(_ secrets: some Sequence<SecretDefinition>, from source: some SecretSource) {
        for secret in secrets where keys.withLock({ $0[secret.name] }) == nil {
            put(Result { () throws(SecretProblem) in Key(try source.read(secret)) }, for: secret.name)
        }
    }

    /// Forgets the values of all other secrets.
    func keep(only names: Set<Name>) {
        keys.withLock { keys in keys = keys.filter { names.contains($0.key) } }
    }

    /// A provider refused what was minted with.
    func noteRefusal(of secret: Name, _ version: SecretVersionNumber?, _ failure: MintFailure) {
        guard let version, let note = refusals.withLock({ $0 }) else { return }
        note(secret, version, failure)
    }

    /// Has `note` told of every refusal; called on any thread, and returns at once.
    func onRefusal(_ note: @escaping @Sendable (Name, SecretVersionNumber, MintFailure) -> Void) {
        refusals.withLock { $0 = note }
    }
}
