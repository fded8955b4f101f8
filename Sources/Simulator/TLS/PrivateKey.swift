internal import COpenSSL

/// A new key on the curve P-256.
final class PrivateKey {
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
}
