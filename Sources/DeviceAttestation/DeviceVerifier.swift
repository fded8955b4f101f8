internal import COpenSSL
internal import Digests
public import TokenBroker

/// Checks what devices say of themselves by App Attest (Apple: "Validating apps that connect to your server").
///
/// It decides and remembers nothing: that a challenge is fresh, unused and was given out here, that a key is registered
/// once, and that a counter is stored by compare-and-set is for whoever asks. It blocks for the time of a few signature
/// checks, so it is not for a thread that serves.
public struct DeviceVerifier: Sendable {
    private let root: TrustedRoot

    /// - Parameter root: what takes the place of Apple's root, for simulated devices.
    public init(root: TrustedRoot = .apple) {
        self.root = root
    }

    /// Checks an attestation, every step of it; what costs no cryptography comes first.
    ///
    /// - Parameters:
    ///   - attestation: the CBOR that `attestKey` gave the app.
    ///   - claim: what it must say.
    ///   - instant: the time at which the certificates must be in force. A leaf's is over after days or months, so that
    ///     this is for the registration alone.
    /// - Returns: the device's key, which is to be stored with a counter of 0.
    /// - Throws: the first reason to refuse it.
    public func verify(
        attestation: [UInt8],
        _ claim: AttestationClaim,
        at instant: WallInstant
    ) throws(DeviceRefusal) -> AttestedDevice {
        // What OpenSSL says of bytes that it cannot read stays in the thread's queue, and the next to ask would find it.
        defer { ERR_clear_error() }
        let object = try AttestationObject(parsing: attestation)
        let credential = try AttestedCredential(parsing: object.authenticatorData)
        let app = try Self.app(credential.authenticator, among: claim.apps)
        let environment = try Self.environment(credential, of: app)
        guard credential.authenticator.counter == 0 else {
            throw DeviceRefusal(.counterNotZero, "the counter is \(credential.authenticator.counter)")
        }
        try Self.check(keyID: claim.keyID, credential)
        let chain = CertificateChain(
            leaf: try Self.certificate(object.leaf, "leaf"),
            intermediate: try Self.certificate(object.intermediate, "intermediate")
        )
        try Self.check(chain.leaf, is: credential)
        try Self.check(chain.leaf, signs: object.authenticatorData, claim.clientDataHash)
        try chain.verify(against: Self.certificate(root.der, "root"), at: instant)
        return AttestedDevice(
            appID: app.appID,
            environment: environment,
            keyID: claim.keyID,
            publicKey: credential.key.point,
            receipt: object.receipt,
            extensions: credential.authenticator.extensions
        )
    }
}

extension DeviceVerifier {
    private static let keyIDLength = 32

    private static func app(
        _ authenticator: AuthenticatorData,
        among apps: [DeviceApp]
    ) throws(DeviceRefusal) -> DeviceApp {
        guard let app = apps.first(where: { authenticator.isOf($0.appID) }) else { throw .otherApp }
        return app
    }

    private static func environment(
        _ credential: AttestedCredential,
        of app: DeviceApp
    ) throws(DeviceRefusal) -> AttestEnvironment {
        guard let environment = AttestEnvironment.allCases.first(where: { $0.aaguid == credential.aaguid }) else {
            throw DeviceRefusal(.unknownEnvironment, "the AAGUID is neither production's nor development's")
        }
        guard app.environments.contains(environment) else {
            throw DeviceRefusal(.environmentMismatch, "the key is of the \(environment.rawValue) environment")
        }
        return environment
    }

    private static func check(keyID: [UInt8], _ credential: AttestedCredential) throws(DeviceRefusal) {
        guard keyID.count == keyIDLength else {
            throw DeviceRefusal(.malformedKeyID, "the key id has \(keyID.count) bytes where 32 belong")
        }
        guard credential.credentialID == keyID else {
            throw DeviceRefusal(.credentialIDMismatch, "the credential id is not the key id")
        }
        guard SHA256.digest(of: credential.key.point) == keyID else {
            throw DeviceRefusal(.keyIDMismatch, "the key id is not the hash of the attested key")
        }
    }

    private static func certificate(_ der: [UInt8], _ name: String) throws(DeviceRefusal) -> Certificate {
        guard let certificate = Certificate(der: der) else {
            throw DeviceRefusal(.malformedCertificate, "the \(name) certificate cannot be read")
        }
        return certificate
    }

    /// The leaf must be for the attested key, which is that of the key id, and be made out to the key id in hexadecimal.
    private static func check(
        _ leaf: borrowing Certificate,
        is credential: AttestedCredential
    ) throws(DeviceRefusal) {
        guard let point = leaf.point else {
            throw DeviceRefusal(.unsupportedKey, "the leaf's key is not an uncompressed point of P-256")
        }
        guard point == credential.key.point else {
            throw DeviceRefusal(.publicKeyMismatch, "the attested key is not the leaf's")
        }
        guard leaf.commonName == Array(Hexadecimal.text(credential.credentialID).utf8) else {
            throw DeviceRefusal(.subjectMismatch, "the leaf's common name is not the key id in hexadecimal")
        }
    }

    /// Apple's signature on the leaf covers the nonce, and the nonce the authenticator data and the challenge.
    private static func check(
        _ leaf: borrowing Certificate,
        signs authenticatorData: [UInt8],
        _ clientDataHash: [UInt8]
    ) throws(DeviceRefusal) {
        guard let value = leaf.extensionValue(NonceExtension.identifier), let nonce = NonceExtension.nonce(value) else {
            throw DeviceRefusal(.malformedNonce, "the leaf has not exactly one nonce in Apple's encoding")
        }
        guard nonce == SHA256.digest(of: authenticatorData + clientDataHash) else {
            throw DeviceRefusal(.nonceMismatch, "the attestation was made for another challenge")
        }
    }
}

extension AuthenticatorData {
    func isOf(_ appID: String) -> Bool {
        appIDHash == SHA256.digest(of: Array(appID.utf8))
    }
}

extension DeviceRefusal {
    static let otherApp = DeviceRefusal(.appIDMismatch, "made by another app")
}
