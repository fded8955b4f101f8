internal import COpenSSL
internal import Digests

extension DeviceVerifier {
    /// Checks an assertion; the signature comes last, because it alone costs time.
    ///
    /// - Parameter assertion: the CBOR that `generateAssertion` gave the app.
    /// - Returns: the counter that the next assertion must exceed.
    /// - Throws: the first reason to refuse it.
    public static func verify(assertion: [UInt8], _ claim: AssertionClaim) throws(DeviceRefusal) -> VerifiedAssertion {
        defer { ERR_clear_error() }
        let object = try AssertionObject(parsing: assertion)
        let authenticator = try AuthenticatorData(assertion: object.authenticatorData)
        guard authenticator.isOf(claim.appID) else { throw .otherApp }
        guard authenticator.counter > claim.previousCounter else {
            throw DeviceRefusal(
                .counterNotGreater,
                "the counter is \(authenticator.counter), and the previous one \(claim.previousCounter)"
            )
        }
        guard let key = PublicKey(point: claim.publicKey) else {
            throw DeviceRefusal(.malformedPublicKey, "the public key is not an uncompressed point of P-256")
        }
        // The nonce is the message that ECDSA hashes once more.
        let nonce = SHA256.digest(of: object.authenticatorData + SHA256.digest(of: claim.clientData))
        guard key.isSignature(object.signature, for: nonce) else {
            throw DeviceRefusal(.badSignature, "signed by another key, or for other client data")
        }
        return VerifiedAssertion(counter: authenticator.counter, extensions: authenticator.extensions)
    }
}
