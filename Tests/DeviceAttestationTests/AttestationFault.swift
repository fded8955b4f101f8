import Digests
import Testing
import TokenBroker

@testable import DeviceAttestation

/// One way to be wrong, and the reason that must be given for it.
struct AttestationFault: Sendable, CustomTestStringConvertible {
    let name: String
    let code: DeviceRefusal.Code
    let change: @Sendable (inout AttestationRecipe) -> Void

    var testDescription: String { name }

    init(_ name: String, _ code: DeviceRefusal.Code, _ change: @escaping @Sendable (inout AttestationRecipe) -> Void) {
        self.name = name
        self.code = code
        self.change = change
    }

    static let all = objects + authenticatorData + certificates + nonces + chains

    private static let objects = [
        AttestationFault("no CBOR", .malformedAttestation) { $0.object = { _ in [0xFF] } },
        AttestationFault("no bytes", .malformedAttestation) { $0.object = { _ in [] } },
        AttestationFault("an array", .malformedAttestation) { $0.object = { CBORBytes.array([$0]) } },
        AttestationFault("bytes behind it", .malformedAttestation) { $0.object = { $0 + [0] } },
        AttestationFault("a format that is no text", .malformedAttestation) { $0.format = CBORBytes.number(1) },
        AttestationFault("another format", .wrongFormat) { $0.format = CBORBytes.text("packed") },
        AttestationFault("no certificate", .wrongCertificateCount) { $0.certificates = { _ in [] } },
        AttestationFault("the leaf alone", .wrongCertificateCount) { $0.certificates = { [$0[0]] } },
        AttestationFault("its root, too", .wrongCertificateCount) {
            $0.certificates = { $0 + [AttestationRecipe.root(signedBy: AttestationRecipe.rootKey)] }
        },
    ]

    private static let authenticatorData = [
        AttestationFault("a head alone", .malformedAuthenticatorData) {
            $0.authenticatorData = { Array($0.prefix(37)) }
        },
        AttestationFault("no key", .malformedAuthenticatorData) { $0.coseKey = [] },
        AttestationFault("half a key", .malformedAuthenticatorData) { $0.coseKey.removeLast() },
        AttestationFault("a key of another kind", .malformedAuthenticatorData) {
            $0.coseKey = AttestationRecipe.coseKey(type: 1)
        },
        AttestationFault("a key for another algorithm", .malformedAuthenticatorData) {
            $0.coseKey = AttestationRecipe.coseKey(algorithm: -35)
        },
        AttestationFault("a key on another curve", .malformedAuthenticatorData) {
            $0.coseKey = AttestationRecipe.coseKey(curve: 2)
        },
        AttestationFault("a key with a short first coordinate", .malformedAuthenticatorData) {
            $0.coseKey = AttestationRecipe.coseKey(AttestationRecipe.deviceKey.point.dropLast(), split: 32)
        },
        AttestationFault("a key with a short second coordinate", .malformedAuthenticatorData) {
            $0.coseKey = AttestationRecipe.coseKey(AttestationRecipe.deviceKey.point.dropLast())
        },
        AttestationFault("a key with another member", .malformedAuthenticatorData) {
            $0.coseKey = [0xA6] + $0.coseKey.dropFirst() + CBORBytes.number(4) + CBORBytes.number(1)
        },
        AttestationFault("a short credential id", .malformedAuthenticatorData) {
            $0.credentialID.removeLast()
            $0.credentialIDLength = 31
        },
        AttestationFault("an empty credential id", .malformedAuthenticatorData) { $0.credentialIDLength = 0 },
        AttestationFault("extensions that are no map", .malformedAuthenticatorData) { $0.rest = [0x00] },
        AttestationFault("an extension of another type", .malformedAuthenticatorData) {
            $0.rest = CBORBytes.map(CBORBytes.text("apple_validation_category_01"), CBORBytes.bytes([4]))
        },
        AttestationFault("a version of another type", .malformedAuthenticatorData) {
            $0.rest = CBORBytes.map(CBORBytes.text("apple_bundle_version_01"), CBORBytes.number(4))
        },
        AttestationFault("bytes behind the extensions", .malformedAuthenticatorData) { $0.rest = [0xA0, 0xA0] },
        AttestationFault("another app", .appIDMismatch) { $0.appID = "TEAMID1234.com.example.app2" },
        AttestationFault("the other environment", .environmentMismatch) {
            $0.aaguid = AttestEnvironment.development.aaguid
        },
        AttestationFault("no environment", .unknownEnvironment) { $0.aaguid[15] = 1 },
        AttestationFault("a counter", .counterNotZero) { $0.counter = 1 },
        AttestationFault("a high counter", .counterNotZero) { $0.counter = 0x0100_0000 },
        AttestationFault("another credential id", .credentialIDMismatch) { $0.credentialID[31] ^= 1 },
    ]

    private static let certificates = [
        AttestationFault("no leaf", .malformedCertificate) { $0.certificates = { [[], $0[1]] } },
        AttestationFault("a leaf and a byte", .malformedCertificate) { $0.certificates = { [$0[0] + [0], $0[1]] } },
        AttestationFault("no intermediate", .malformedCertificate) { $0.certificates = { [$0[0], [0x30, 0]] } },
        AttestationFault("a leaf on another curve", .unsupportedKey) { $0.leaf.key = TestKey(curve: "P-384") },
        AttestationFault("a leaf of another key", .publicKeyMismatch) { $0.leaf.key = TestKey() },
        AttestationFault("a leaf for nobody", .subjectMismatch) { $0.leaf.commonNames = [] },
        AttestationFault("a leaf for another", .subjectMismatch) { $0.leaf.commonNames = ["phone"] },
        AttestationFault("a leaf for a second, too", .subjectMismatch) { $0.leaf.commonNames.append("phone") },
    ]

    private static let nonces = [
        AttestationFault("no nonce", .malformedNonce) { $0.nonceValues = { _ in [] } },
        AttestationFault("two nonces", .malformedNonce) {
            $0.nonceValues = {
                [[0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + $0, [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + $0]
            }
        },
        AttestationFault("a bare nonce", .malformedNonce) { $0.nonceValues = { [$0] } },
        AttestationFault("a nonce in a string", .malformedNonce) { $0.nonceValues = { [[0x04, 0x20] + $0] } },
        AttestationFault("a nonce behind another", .malformedNonce) {
            $0.nonceValues = { nonce in
                [[0x30, 0x26, 0x04, 0x00, 0xA1, 0x22, 0x04, 0x20] + nonce]
            }
        },
        AttestationFault("bytes behind the nonce", .malformedNonce) {
            $0.nonceValues = { [[0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + $0 + [0x05, 0x00]] }
        },
        AttestationFault("bytes behind the string", .malformedNonce) {
            $0.nonceValues = { [[0x30, 0x26, 0xA1, 0x24, 0x04, 0x20] + $0 + [0x05, 0x00]] }
        },
        AttestationFault("another tag", .malformedNonce) {
            $0.nonceValues = { [[0x30, 0x24, 0xA0, 0x22, 0x04, 0x20] + $0] }
        },
        AttestationFault("a length in the long form", .malformedNonce) {
            $0.nonceValues = { [[0x30, 0x81, 0x24, 0xA1, 0x22, 0x04, 0x20] + $0] }
        },
        AttestationFault("a short nonce", .malformedNonce) {
            $0.nonceValues = { [[0x30, 0x23, 0xA1, 0x21, 0x04, 0x1F] + $0.dropLast()] }
        },
        AttestationFault("a length beyond the end", .malformedNonce) {
            $0.nonceValues = { [[0x30, 0x24, 0xA1, 0x22, 0x04, 0x21] + $0] }
        },
        AttestationFault("another nonce", .nonceMismatch) {
            $0.nonceValues = { _ in [[0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + [UInt8](repeating: 0, count: 32)] }
        },
        AttestationFault("flags that were changed", .nonceMismatch) {
            $0.authenticatorData = { data in
                var data = data
                data[32] ^= 0x80
                return data
            }
        },
    ]

    private static let chains = [
        AttestationFault("a leaf signed by another", .untrustedChain) { $0.leafSigner = TestKey() },
        AttestationFault("a leaf signed by itself", .untrustedChain) { $0.leafSigner = AttestationRecipe.deviceKey },
        AttestationFault("an intermediate of another root", .untrustedChain) { $0.intermediateSigner = TestKey() },
        AttestationFault("an intermediate that is none", .untrustedChain) { $0.intermediate.isAuthority = false },
        AttestationFault("a root of its own", .untrustedChain) {
            let key = TestKey()
            $0.intermediate = TestCertificate(commonNames: ["Root"], key: key, isAuthority: true)
            $0.intermediateSigner = key
        },
        AttestationFault("a leaf of the root itself", .untrustedChain) {
            $0.leafIssuer = "Root"
            $0.leafSigner = AttestationRecipe.rootKey
        },
        AttestationFault("an expired leaf", .certificateExpired) { $0.leaf.notAfter = AttestationRecipe.now - 1 },
        AttestationFault("a leaf of tomorrow", .certificateNotYetValid) {
            $0.leaf.notBefore = AttestationRecipe.now + 1
        },
        AttestationFault("an expired intermediate", .certificateExpired) {
            $0.intermediate.notAfter = AttestationRecipe.now - 1
        },
        AttestationFault("an intermediate of tomorrow", .certificateNotYetValid) {
            $0.intermediate.notBefore = AttestationRecipe.now + 1
        },
    ]
}
