/// An attestation's authenticator data: the head, and the key that was made.
struct AttestedCredential: Equatable, Sendable {
    let authenticator: AuthenticatorData
    /// Which environment the key is of, in 16 bytes.
    let aaguid: [UInt8]
    /// The key id: 32 bytes.
    let credentialID: [UInt8]
    let key: COSEKey

    private static let aaguidRange = 37..<53
    private static let lengthRange = 53..<55
    private static let credentialIDRange = 55..<87

    init(parsing bytes: [UInt8]) throws(DeviceRefusal) {
        guard bytes.count > Self.credentialIDRange.upperBound else {
            throw .authenticatorData("\(bytes.count) bytes")
        }
        let length = bytes[Self.lengthRange].reduce(0) { $0 << 8 | Int($1) }
        guard length == Self.credentialIDRange.count else {
            throw .authenticatorData("a credential id of \(length) bytes")
        }
        aaguid = Array(bytes[Self.aaguidRange])
        credentialID = Array(bytes[Self.credentialIDRange])
        var rest = try AuthenticatorData.reader(bytes, from: Self.credentialIDRange.upperBound)
        guard let key = COSEKey(try AuthenticatorData.read(&rest)) else {
            throw .authenticatorData("the key is not one of P-256 for ES256")
        }
        self.key = key
        authenticator = try AuthenticatorData(head: bytes, &rest)
    }
}
