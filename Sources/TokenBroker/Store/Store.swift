/// The port to what outlives the process.
///
/// It asks for no more than a database shared by a fleet can do as well: compare-and-set by version, counters that are
/// advanced atomically, and leases that end by themselves; ``AuditStore`` asks for an append-only table. Each call is one
/// transaction: when it returns all of it is done, and when it throws none of it is.
///
/// A failing store is never a reason not to serve. Every call may throw ``StoreError``; the caller goes on from memory,
/// and ``health`` says when it is worth saving again. What it was not given meanwhile it cannot know; that it was not, it
/// notes in another place (``RestoredState/isBehind``).
public protocol Store: Sendable {
    /// How the store is doing, without waiting for it.
    var health: StoreHealth { get }

    /// Everything that a start needs.
    ///
    /// - Throws: `newerVersion` for a store that must be left alone: the process cannot go on with this configuration.
    func restore() async throws(StoreError) -> RestoredState

    // MARK: Tokens and holds

    /// Keeps the token in place of the one held for its key. Ordinary durability: await it before the token is served.
    func save(_ token: StoredToken) async throws(StoreError)

    /// Forgets the key's token; there need not be one.
    func removeToken(_ key: StoredTokenKey) async throws(StoreError)

    /// Keeps the hold in place of the one held for its key.
    func save(_ hold: StoredHold) async throws(StoreError)

    /// Forgets the key's hold; there need not be one.
    func removeHold(_ key: HoldKey) async throws(StoreError)

    /// Notes that the store has all that is in service: until a call fails, it is not ``RestoredState/isBehind``.
    func noteCaughtUp() async throws(StoreError)

    // MARK: Generations

    /// Reserves numbers that were never handed out, whatever was killed or lost power in between. Durable.
    ///
    /// - Parameters:
    ///   - count: how many, at least 1.
    ///   - floor: a number that all of them are above, for the case that an earlier store was lost.
    func reserveGenerations(_ count: Int64, above floor: Generation) async throws(StoreError) -> GenerationBlock

    // MARK: Versioned records

    func record(_ id: RecordID) async throws(StoreError) -> VersionedRecord?

    /// All records of the kind, in no particular order.
    func records(of kind: RecordID.Kind) async throws(StoreError) -> [VersionedRecord]

    /// Writes the record if it is still at the version that the caller read.
    ///
    /// - Parameter expected: nil where the caller read that there is none.
    /// - Returns: the record as written, with its new version.
    /// - Throws: `conflict` when it is at another version by now.
    func write(
        _ payload: Secret,
        to id: RecordID,
        expecting expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> VersionedRecord

    /// Removes the record if it is still at the version that the caller read.
    ///
    /// - Throws: `conflict` when it is at another version by now, or gone.
    func remove(
        _ id: RecordID,
        expecting expected: RecordVersion,
        _ durability: Durability
    ) async throws(StoreError)

    // MARK: Leases

    /// Takes the key's lease, unless another holder's has not ended yet. A holder's own is taken anew, with a new term.
    ///
    /// - Returns: nil while another holder has it.
    func takeLease(on key: String, by holder: String, for duration: Duration) async throws(StoreError) -> Lease?

    /// Moves the end of a lease that is still held.
    ///
    /// - Returns: false when it has ended, or another has it: what it allowed must stop.
    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Bool

    /// Ends a lease ahead of time; one that is not held any more stays as it is.
    func release(_ lease: Lease) async throws(StoreError)
}
