internal import COpenSSL
internal import TokenBroker

/// AES-256-GCM. What is sealed is a random nonce, the ciphertext and the tag.
///
/// A key's random nonces stay apart for 2^32 rows (NIST SP 800-38D, 8.3): a row a second for 136 years.
///
/// Used by one thread at a time: all rows go through one state of OpenSSL's, for making one with the key in it takes longer
/// than to open a row.
final class Cipher {
    private static let nonceLength = 12
    private static let tagLength = 16

    private let context: OpaquePointer

    init(key: Secret) {
        precondition(key.count == 32, "AES-256 takes 32 bytes")
        guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        let isDone = key.withBytes { EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, $0.bytes, nil) == 1 }
        precondition(isDone, "OpenSSL has no AES-256-GCM")
        self.context = context
    }

    deinit {
        // Wipes the key.
        EVP_CIPHER_CTX_free(context)
    }

    /// - Parameter identity: what the row is; it does not open as anything else.
    func seal(_ plaintext: borrowing Plaintext, as identity: [UInt8]) -> [UInt8] {
        let nonce = randomBytes(Self.nonceLength)
        var sealed = nonce + [UInt8](repeating: 0, count: plaintext.count + Self.tagLength)
        let isDone = plaintext.withBytes { plaintext in
            sealed.withUnsafeMutableBytes { output in
                var length: Int32 = 0
                let body = output.baseAddress! + Self.nonceLength
                return EVP_EncryptInit_ex(context, nil, nil, nil, nonce) == 1
                    && EVP_EncryptUpdate(context, nil, &length, identity, Int32(identity.count)) == 1
                    && EVP_EncryptUpdate(
                        context,
                        body.assumingMemoryBound(to: UInt8.self),
                        &length,
                        plaintext.bytes,
                        Int32(plaintext.count)
                    ) == 1
                    && EVP_EncryptFinal_ex(context, nil, &length) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context,
                        EVP_CTRL_AEAD_GET_TAG,
                        Int32(Self.tagLength),
                        body + plaintext.count
                    ) == 1
            }
        }
        precondition(isDone, "OpenSSL does not encrypt")
        return sealed
    }

    /// - Throws: when the tag does not match: another key, another identity, or another content.
    func open(_ sealed: [UInt8], as identity: [UInt8]) throws(UnreadableRow) -> Plaintext {
        let length = sealed.count - Self.nonceLength - Self.tagLength
        guard length >= 0 else { throw UnreadableRow() }
        var plaintext = Plaintext(capacity: length)
        let isAuthentic = plaintext.append(length) { output in
            sealed.withUnsafeBytes { sealed in
                var written: Int32 = 0
                let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress! + Self.nonceLength + length)
                return EVP_DecryptInit_ex(context, nil, nil, nil, sealed.bytes) == 1
                    && EVP_DecryptUpdate(context, nil, &written, identity, Int32(identity.count)) == 1
                    && EVP_DecryptUpdate(
                        context,
                        output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        &written,
                        sealed.bytes! + Self.nonceLength,
                        Int32(length)
                    ) == 1
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), tag) == 1
                    && EVP_DecryptFinal_ex(context, nil, &written) == 1
            }
        }
        guard isAuthentic else { throw UnreadableRow() }
        return plaintext
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
