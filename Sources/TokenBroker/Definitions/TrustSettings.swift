/// How far a provider's certificate is trusted beyond the system's store.
public struct TrustSettings: Hashable, Sendable {
    /// A PEM file whose certificates are trusted in addition to the system's.
    public let additionalCAFile: String?
    /// What one certificate of the chain has to match besides; nil where any trusted chain will do.
    public let pins: CertificatePins?

    public init(additionalCAFile: String? = nil, pins: CertificatePins? = nil) {
        self.additionalCAFile = additionalCAFile
        self.pins = pins
    }
}

/// Certificates, or their keys, of which a provider's chain must have one: an authority that the host trusts and that is
/// not the provider's own cannot speak for it then.
///
/// Pinned is best an intermediate authority, which outlives the server's certificate, and a second pin covers a change.
public struct CertificatePins: Hashable, Sendable {
    /// What is hashed.
    public enum Form: String, CaseIterable, Sendable {
        /// The certificate's whole DER.
        case certificate
        /// Its SubjectPublicKeyInfo in DER, which stays the same when a certificate is renewed for the same key.
        case publicKey = "public-key"
    }

    /// How long each pin is: a SHA-256.
    public static let length = 32

    public let digests: Set<[UInt8]>
    public let form: Form

    /// - Parameter digests: SHA-256 values; at least one.
    public init(_ digests: Set<[UInt8]>, of form: Form = .certificate) {
        precondition(!digests.isEmpty && digests.allSatisfy { $0.count == Self.length }, "not a set of SHA-256 values")
        self.digests = digests
        self.form = form
    }
}
