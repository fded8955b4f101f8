/// A key in a simulated device's hardware, and what it signs.
final class DeviceKey {
    /// Whose apps the key is for, and what kind of build made it.
    struct App: Equatable {
        var id = SimulatorOptions.demoAppID
        var isProduction = true
    }

    let key: PrivateKey
    /// SHA-256 of the key's point.
    let keyID: [UInt8]
    private let app: App
    private let point: [UInt8]
    private(set) var counter: UInt32 = 0

    init(of app: App) throws(SimulatorError) {
        self.app = app
        key = try PrivateKey()
        point = try key.point()
        keyID = Digest.sha256(point)
    }

    /// An attestation object for a client data hash.
    func attestation(_ clientDataHash: [UInt8], by maker: DeviceMaker) throws(SimulatorError) -> [UInt8] {
        let data = authenticatorData(counter: 0) + aaguid + [0, UInt8(keyID.count)] + keyID + coseKey
        let certificates = try maker.certificates(of: self, nonce: Digest.sha256(data + clientDataHash))
        return CBOR.map([
            "fmt": CBOR.text("apple-appattest"),
            "attStmt": CBOR.map(["x5c": CBOR.array(certificates.map(CBOR.bytes)), "receipt": CBOR.bytes([0])]),
            "authData": CBOR.bytes(data),
        ])
    }

    /// An assertion over client data.
    ///
    /// - Parameter counter: in place of the next one.
    func assertion(_ clientData: [UInt8], counter chosen: UInt32?) throws(SimulatorError) -> [UInt8] {
        let next = chosen ?? (counter &+ 1)
        counter = max(counter, next)
        let data = authenticatorData(counter: next)
        let signature = try key.signature(for: Digest.sha256(data + Digest.sha256(clientData)))
        return CBOR.map(["signature": CBOR.bytes(signature), "authenticatorData": CBOR.bytes(data)])
    }

    private func authenticatorData(counter: UInt32) -> [UInt8] {
        let counter = (0..<4).reversed().map { UInt8(truncatingIfNeeded: counter >> (8 * UInt32($0))) }
        return Digest.sha256(Array(app.id.utf8)) + [0x40] + counter
    }

    private var aaguid: [UInt8] {
        app.isProduction ? Array("appattest".utf8) + [UInt8](repeating: 0, count: 7) : Array("appattestdevelop".utf8)
    }

    /// {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053 section 7.1.1).
    private var coseKey: [UInt8] {
        [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21] + CBOR.bytes(Array(point[1...32])) + [0x22]
            + CBOR.bytes(Array(point[33...]))
    }
}
