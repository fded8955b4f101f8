/// Why a device's attestation or assertion is not accepted.
public struct DeviceRefusal: Error, Sendable {
    /// The stable name of a reason. Apps, scripts and support staff act on it, so that none ever changes its meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// The attestation is not the CBOR of an attestation object.
        case malformedAttestation = "malformed_attestation"
        /// The assertion is not the CBOR of an assertion.
        case malformedAssertion = "malformed_assertion"
        /// An attestation of another format than App Attest's.
        case wrongFormat = "wrong_format"
        /// Not exactly a leaf and an intermediate certificate.
        case wrongCertificateCount = "wrong_certificate_count"
        /// The authenticator data do not have their layout.
        case malformedAuthenticatorData = "malformed_authenticator_data"
        /// Made by another app than those that are accepted.
        case appIDMismatch = "app_id_mismatch"
        /// Made in an App Attest environment that is not accepted for the app, such as a build from Xcode.
        case environmentMismatch = "environment_mismatch"
        /// The AAGUID is of neither environment.
        case unknownEnvironment = "unknown_environment"
        /// A key that has signed already is registered once more.
        case counterNotZero = "counter_not_zero"
        /// The key id that the app sent is not 32 bytes.
        case malformedKeyID = "malformed_key_id"
        /// The credential id is not the key id that the app sent.
        case credentialIDMismatch = "credential_id_mismatch"
        /// A certificate that cannot be read.
        case malformedCertificate = "malformed_certificate"
        /// The leaf's key is not an uncompressed point of P-256.
        case unsupportedKey = "unsupported_key"
        /// The key id that the app sent is not the hash of the leaf's key.
        case keyIDMismatch = "key_id_mismatch"
        /// The leaf is made out to another key id than its own key's.
        case subjectMismatch = "subject_mismatch"
        /// The key in the authenticator data is not the leaf's.
        case publicKeyMismatch = "public_key_mismatch"
        /// The leaf has no nonce, more than one, or one that is not as Apple encodes it.
        case malformedNonce = "malformed_nonce"
        /// The attestation was made for another challenge, or its authenticator data were changed.
        case nonceMismatch = "nonce_mismatch"
        /// The certificates do not lead to the trusted root.
        case untrustedChain = "untrusted_chain"
        /// A certificate's time is over.
        case certificateExpired = "certificate_expired"
        /// A certificate's time has not come.
        case certificateNotYetValid = "certificate_not_yet_valid"
        /// The public key that the assertion is checked with is not a point of P-256.
        case malformedPublicKey = "malformed_public_key"
        /// The assertion was seen before, or is older than one that was.
        case counterNotGreater = "counter_not_greater"
        /// The assertion was made by another key, or for other client data.
        case badSignature = "bad_signature"
    }

    public let code: Code
    /// What to look at, in words. It repeats nothing that a device sent but numbers and names of environments.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }
}

extension DeviceRefusal: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(detail)" }
}
