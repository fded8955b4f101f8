internal import COpenSSL

/// A new key on the curve P-256.
final class PrivateKey {
    private static let pointLength = 65
    /// Two numbers of 33 bytes at most, each with a head, under a head.
    private static let longestSignature = 72

    let pointer: OpaquePointer

    init() throws(SimulatorError) {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw SimulatorError("cannot make a key") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw SimulatorError("cannot make a key") }
        pointer = key
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// The public key: 65 bytes, uncompressed.
    func point() throws(SimulatorError) -> [UInt8] {
        var encoding: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(pointer, &encoding)
        defer { CRYPTO_free(encoding, nil, 0) }
        guard length >= Self.pointLength else { throw SimulatorError("cannot write a key") }
        return Array(UnsafeBufferPointer(start: encoding, count: Int(length)).suffix(Self.pointLength))
    }

    /// ECDSA with SHA-256, in DER.
    func signature(for message: [UInt8]) throws(SimulatorError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw SimulatorError("cannot sign") }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Self.longestSignature)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { throw SimulatorError("cannot sign") }
        return Array(signature.prefix(length))
    }
}
