/// The port to where the lives of secrets are kept, values included.
public protocol SecretJournal: Sendable {
    /// All lives that were kept.
    func lives() async throws(StoreError) -> [Name: KeptLife]

    /// Whether a life that is not among them may have been kept: some of what was kept is lost, or cannot be read.
    func mayHaveLost() async throws(StoreError) -> Bool

    /// Keeps the life in place of the one that was read.
    ///
    /// - Parameter expected: nil where none was kept.
    /// - Throws: `conflict` when somebody else has written it meanwhile.
    func keep(
        _ life: SecretLife,
        of secret: Name,
        replacing expected: RecordVersion?,
        _ durability: Durability
    ) async throws(StoreError) -> RecordVersion
}

/// A life with the version of the record that it was read from or written to.
public struct KeptLife: Sendable {
    public let life: SecretLife
    public let record: RecordVersion

    public init(_ life: SecretLife, _ record: RecordVersion) {
        self.life = life
        self.record = record
    }
}
