internal import COpenSSL

/// Who makes the devices and says of their keys that they are genuine: a root and an intermediate authority in Apple's
/// place, made for one run.
struct DeviceMaker {
    /// The nonce that an attestation was made for.
    private static let nonceExtension = "1.2.840.113635.100.8.2"
    /// `cA TRUE`, and the usage keyCertSign and cRLSign.
    private static let authority: [UInt8] = [0x30, 0x03, 0x01, 0x01, 0xFF]
    private static let signsCertificates: [UInt8] = [0x03, 0x02, 0x01, 0x06]

    /// The root's certificate, for `devices.root_ca_file`.
    let rootPEM: String
    private let intermediate: Certificate
    private let intermediateKey: PrivateKey

    init() throws(SimulatorError) {
        let rootKey = try PrivateKey()
        let root = try Self.authority(named: "tokenbroker-simulator device root", rootKey)
        try root.sign(issuer: root, rootKey)
        rootPEM = try root.pem()
        intermediateKey = try PrivateKey()
        intermediate = try Self.authority(named: "tokenbroker-simulator device CA", intermediateKey)
        try intermediate.sign(issuer: root, rootKey)
    }

    private static func authority(named name: String, _ key: PrivateKey) throws(SimulatorError) -> Certificate {
        let certificate = try Certificate(named: name, for: key)
        try certificate.add(NID_basic_constraints, Self.authority, isCritical: true)
        try certificate.add(NID_key_usage, Self.signsCertificates, isCritical: true)
        return certificate
    }

    /// The certificates of a device's key, leaf first, in DER.
    func certificates(of device: DeviceKey, nonce: [UInt8]) throws(SimulatorError) -> [[UInt8]] {
        let leaf = try Certificate(named: device.keyID.hexadecimal, for: device.key)
        // SEQUENCE { [1] { OCTET STRING } }
        try leaf.add(Self.nonceExtension, [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce)
        try leaf.sign(issuer: intermediate, intermediateKey)
        return [try leaf.der(), try intermediate.der()]
    }
}
