/// What `attestKey` gives to an app, taken apart; nothing in it is believed yet.
struct AttestationObject: Equatable, Sendable {
    /// DER of the leaf's certificate and of the one that signed it.
    let leaf: [UInt8]
    let intermediate: [UInt8]
    let receipt: [UInt8]
    let authenticatorData: [UInt8]

    private static let format = "apple-appattest"

    init(parsing bytes: [UInt8]) throws(DeviceRefusal) {
        let object: CBORValue
        do throws(CBORError) {
            object = try CBORValue(parsing: bytes)
        } catch {
            throw DeviceRefusal(.malformedAttestation, "the attestation's CBOR: \(error.rawValue)")
        }
        guard let format = object["fmt"]?.text else { throw Self.missing("fmt") }
        guard format == Self.format else {
            throw DeviceRefusal(.wrongFormat, "the attestation's format is not \(Self.format)")
        }
        guard let statement = object["attStmt"], let chain = statement["x5c"]?.array else { throw Self.missing("x5c") }
        guard chain.count == 2 else {
            throw DeviceRefusal(.wrongCertificateCount, "\(chain.count) certificates where two belong")
        }
        guard let leaf = chain[0].bytes, let intermediate = chain[1].bytes else { throw Self.missing("x5c") }
        guard let receipt = statement["receipt"]?.bytes else { throw Self.missing("receipt") }
        guard let authenticatorData = object["authData"]?.bytes else { throw Self.missing("authData") }
        self.leaf = leaf
        self.intermediate = intermediate
        self.receipt = receipt
        self.authenticatorData = authenticatorData
    }

    private static func missing(_ name: String) -> DeviceRefusal {
        DeviceRefusal(.malformedAttestation, "the attestation has no \(name) of the right type")
    }
}
