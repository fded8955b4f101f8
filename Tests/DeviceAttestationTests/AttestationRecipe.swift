import Digests
import TokenBroker

@testable import DeviceAttestation

/// An attestation to be made, right in everything that a test does not change.
struct AttestationRecipe {
    /// 2026-06-01T00:00:00Z, when every certificate here is in force.
    static let now = 1_780_272_000
    static let appID = "TEAMID1234.com.example.app"
    static let challenge = Array("a challenge".utf8)
    static let instant = WallInstant(milliseconds: Int64(now) * 1000)

    /// The device's key, and those of the authorities above it.
    static let deviceKey = TestKey()
    static let rootKey = TestKey()
    static let intermediateKey = TestKey()
    private static let rootDER = root(signedBy: rootKey)

    /// What the app gave to be attested.
    var clientDataHash = SHA256.digest(of: Self.challenge)
    var format = CBORBytes.text("apple-appattest")
    var appID = Self.appID
    var flags: UInt8 = 0x40
    var counter: UInt32 = 0
    var aaguid = AttestEnvironment.production.aaguid
    var credentialID = SHA256.digest(of: deviceKey.point)
    var credentialIDLength: UInt64 = 32
    var coseKey = Self.coseKey()
    /// What stands behind the key.
    var rest: [UInt8] = []

    var leaf = TestCertificate(
        commonNames: [Hexadecimal.text(SHA256.digest(of: deviceKey.point))],
        key: deviceKey
    )
    /// The values of the nonce extension, one for each time that the leaf has it.
    var nonceValues: ([UInt8]) -> [[UInt8]] = { [[0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + $0] }
    var intermediate = TestCertificate(commonNames: ["Intermediate"], key: intermediateKey, isAuthority: true)
    var leafIssuer = "Intermediate"
    var leafSigner = Self.intermediateKey
    var intermediateSigner = Self.rootKey
    /// The certificates' DER, leaf first, as they were made and as the object has them.
    var certificates: ([[UInt8]]) -> [[UInt8]] = { $0 }
    /// The authenticator data, after the leaf was made for them.
    var authenticatorData: ([UInt8]) -> [UInt8] = { $0 }
    /// The whole object at last.
    var object: ([UInt8]) -> [UInt8] = { $0 }

    static var verifier: DeviceVerifier { DeviceVerifier(root: TrustedRoot(der: rootDER)) }

    static var claim: AttestationClaim {
        AttestationClaim(
            apps: [DeviceApp(appID: appID)],
            keyID: SHA256.digest(of: deviceKey.point),
            challenge: challenge
        )
    }

    /// - Parameter split: where in the point its second coordinate begins.
    static func coseKey(
        _ point: [UInt8] = deviceKey.point,
        type: Int64 = 2,
        algorithm: Int64 = -7,
        curve: Int64 = 1,
        split: Int = 33
    ) -> [UInt8] {
        CBORBytes.map(
            CBORBytes.number(1),
            CBORBytes.number(type),
            CBORBytes.number(3),
            CBORBytes.number(algorithm),
            CBORBytes.number(-1),
            CBORBytes.number(curve),
            CBORBytes.number(-2),
            CBORBytes.bytes(Array(point[1..<split])),
            CBORBytes.number(-3),
            CBORBytes.bytes(Array(point[split...]))
        )
    }

    static func root(signedBy key: TestKey) -> [UInt8] {
        TestCertificate(commonNames: ["Root"], key: key, isAuthority: true).signed(by: "Root", key)
    }

    /// Makes the object from the inside out.
    func made() -> [UInt8] {
        let data =
            SHA256.digest(of: Array(appID.utf8)) + [flags] + CBORBytes.bigEndian(UInt64(counter), 4) + aaguid
            + CBORBytes.bigEndian(credentialIDLength, 2) + credentialID + coseKey + rest
        let nonce = SHA256.digest(of: data + clientDataHash)
        var leaf = leaf
        leaf.extensions += nonceValues(nonce).map { (NonceExtension.identifier, $0) }
        let chain = certificates([
            leaf.signed(by: leafIssuer, leafSigner), intermediate.signed(by: "Root", intermediateSigner),
        ])
        return object(
            CBORBytes.map(
                CBORBytes.text("fmt"),
                format,
                CBORBytes.text("attStmt"),
                CBORBytes.map(
                    CBORBytes.text("x5c"),
                    CBORBytes.array(chain.map(CBORBytes.bytes)),
                    CBORBytes.text("receipt"),
                    CBORBytes.bytes([1, 2, 3])
                ),
                CBORBytes.text("authData"),
                CBORBytes.bytes(authenticatorData(data))
            )
        )
    }
}
