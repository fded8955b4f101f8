/// What `generateAssertion` gives to an app, taken apart; nothing in it is believed yet.
struct AssertionObject: Equatable, Sendable {
    /// DER of an ECDSA signature.
    let signature: [UInt8]
    let authenticatorData: [UInt8]

    init(parsing bytes: [UInt8]) throws(DeviceRefusal) {
        let object: CBORValue
        do throws(CBORError) {
            object = try CBORValue(parsing: bytes)
        } catch {
            throw DeviceRefusal(.malformedAssertion, "the assertion's CBOR: \(error.rawValue)")
        }
        guard let signature = object["signature"]?.bytes, let data = object["authenticatorData"]?.bytes else {
            throw DeviceRefusal(.malformedAssertion, "the assertion has no signature or no authenticatorData")
        }
        self.signature = signature
        authenticatorData = data
    }
}
