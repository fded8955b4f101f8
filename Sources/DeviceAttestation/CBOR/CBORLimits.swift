/// What is read of a CBOR document at most.
struct CBORLimits: Sendable {
    /// All of the document; real attestations have less than 6,000 bytes, most of them the receipt.
    var bytes = 32 * 1024
    /// Arrays and maps open at once. An attestation has three: the object, its statement, the certificates.
    var depth = 4
    /// Items of every kind, keys and containers among them; an attestation has a dozen.
    var items = 64
}
