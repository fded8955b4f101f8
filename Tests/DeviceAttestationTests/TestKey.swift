import COpenSSL

/// A private key of a device or of an authority in the tests.
///
/// Sendable because it is never changed once it is made; OpenSSL counts references and fills caches under its own locks.
final class TestKey: @unchecked Sendable {
    let pointer: OpaquePointer

    init(curve: String = "P-256") {
        let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        EVP_PKEY_keygen_init(context)
        EVP_PKEY_CTX_set_group_name(context, curve)
        EVP_PKEY_generate(context, &key)
        pointer = key!
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    /// The uncompressed point of a key on P-256.
    var point: [UInt8] {
        var encoding: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(pointer, &encoding)
        defer { CRYPTO_free(encoding, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoding, count: Int(length)).suffix(65))
    }

    /// ECDSA with SHA-256, in DER.
    func signature(for message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 128)
        var length = signature.count
        EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer)
        EVP_DigestSign(context, &signature, &length, message, message.count)
        return Array(signature.prefix(length))
    }
}
