public import TokenBroker

/// Remembers which seeds, the first refresh tokens that operators give, were spent: in a place that is not lost with the
/// store, so that a seed whose successors are lost is never presented again.
///
/// A fingerprint is the lower-case hexadecimal SHA-256 of a text that has the seed in it.
public protocol SeedLedger: Sendable {
    /// The account that spent the seed, or was about to; nil where none has.
    ///
    /// - Throws: when that cannot be told: the seed must not be spent then.
    func owner(of fingerprint: String) async throws(StoreError) -> Name?

    /// Notes that the account is about to spend the seed. When this returns, the disk has it.
    ///
    /// - Returns: the account that may spend it: this one, unless another has it already.
    func claim(_ fingerprint: String, for account: Name) async throws(StoreError) -> Name
}
