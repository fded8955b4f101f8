public import TokenBroker

/// A device's key, of which Apple says that it is in real hardware and belongs to a genuine app.
public struct AttestedDevice: Equatable, Sendable {
    /// The accepted app that made the attestation.
    public let appID: String
    public let environment: AttestEnvironment
    /// SHA-256 of ``publicKey``: 32 bytes.
    public let keyID: [UInt8]
    /// An uncompressed point of P-256: 65 bytes. What assertions are checked with.
    public let publicKey: [UInt8]
    /// Apple's receipt, for asking Apple for a fraud risk; not looked into.
    public let receipt: [UInt8]
    public let extensions: DeviceExtensions
}

/// An assertion that was accepted.
public struct VerifiedAssertion: Equatable, Sendable {
    /// What to remember, by compare-and-set: of two assertions that race only one may find the previous one.
    public let counter: UInt32
    public let extensions: DeviceExtensions
}
