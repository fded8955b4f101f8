/// The port to a provider's own key API, by which an account's long-lived keys are made and ended.
///
/// `credential` is the key of that API itself, which opens nothing else. Texts of failures never hold a key.
public protocol KeyIssuer: Sendable {
    /// Makes a key. A request that may have arrived is not repeated: it could make another one.
    ///
    /// - Parameters:
    ///   - label: what the key is called there; no other key is called so.
    ///   - model: the key in force; the new one may do no more than that, where the provider limits single keys.
    func issue(
        _ label: String,
        like model: Secret?,
        by credential: Secret
    ) async throws(KeyIssueFailure) -> NewKey

    /// The ids of the keys of that label which still work. Changes nothing.
    func ids(of label: String, by credential: Secret) async throws(MintFailure) -> [String]

    /// Ends a key for good. One that is not there any more has ended.
    func revoke(_ id: String, by credential: Secret) async throws(MintFailure)
}

/// A key that was just made.
public struct NewKey: Sendable {
    /// The provider's id for it, which is no secret.
    public let id: String
    public let value: Secret

    public init(id: String, value: Secret) {
        self.id = id
        self.value = value
    }
}

/// Why there is no new key.
public enum KeyIssueFailure: Error, Equatable {
    /// None was made.
    case refused(MintFailure)
    /// One may have been made, and its value is lost.
    case unknown(MintFailure)
}
