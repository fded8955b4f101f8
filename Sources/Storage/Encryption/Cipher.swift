internal import COpenSSL
internal import TokenBroker

/// AES-256-GCM. What is sealed is a random nonce, the ciphertext and the tag.
///
/// A key's random nonces stay apart for 2^32 rows (NIST SP 800-38D, 8.3): a row a second for 136 years.
struct Cipher {
    private static let nonceLength = 12
    private static let tagLength = 16

    private let key: Secret

    init(key: Secret) {
        precondition(key.count == 32, "AES-256 takes 32 bytes")
        self.key = key
    }

    /// - Parameter identity: what the row is; it does not open as anything else.
    func seal(_ plaintext: borrowing Plaintext, as identity: [UInt8]) -> [UInt8] {
        let nonce = randomBytes(Self.nonceLength)
        let context = Context()
        var sealed = nonce + [UInt8](repeating: 0, count: plaintext.count + Self.tagLength)
        let isDone = key.withBytes { key in
            plaintext.withBytes { plaintext in
                sealed.withUnsafeMutableBytes { output in
                    var length: Int32 = 0
                    let body = output.baseAddress! + Self.nonceLength
                    return EVP_EncryptInit_ex(context.pointer, EVP_aes_256_gcm(), nil, key.bytes, nonce) == 1
                        && EVP_EncryptUpdate(context.pointer, nil, &length, identity, Int32(identity.count)) == 1
                        && EVP_EncryptUpdate(
                            context.pointer,
                            body.assumingMemoryBound(to: UInt8.self),
                            &length,
                            plaintext.bytes,
                            Int32(plaintext.count)
                        ) == 1
                        && EVP_EncryptFinal_ex(context.pointer, nil, &length) == 1
                        && EVP_CIPHER_CTX_ctrl(
                            context.pointer,
                            EVP_CTRL_AEAD_GET_TAG,
                            Int32(Self.tagLength),
                            body + plaintext.count
                        ) == 1
                }
            }
        }
        precondition(isDone, "OpenSSL has no AES-256-GCM")
        return sealed
    }

    /// - Throws: when the tag does not match: another key, another identity, or another content.
    func open(_ sealed: [UInt8], as identity: [UInt8]) throws(UnreadableRow) -> Plaintext {
        let length = sealed.count - Self.nonceLength - Self.tagLength
        guard length >= 0 else { throw UnreadableRow() }
        let context = Context()
        var plaintext = Plaintext(capacity: length)
        let isAuthentic = plaintext.append(length) { output in
            key.withBytes { key in
                sealed.withUnsafeBytes { sealed in
                    var written: Int32 = 0
                    let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress! + Self.nonceLength + length)
                    return EVP_DecryptInit_ex(context.pointer, EVP_aes_256_gcm(), nil, key.bytes, sealed.bytes) == 1
                        && EVP_DecryptUpdate(context.pointer, nil, &written, identity, Int32(identity.count)) == 1
                        && EVP_DecryptUpdate(
                            context.pointer,
                            output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                            &written,
                            sealed.bytes! + Self.nonceLength,
                            Int32(length)
                        ) == 1
                        && EVP_CIPHER_CTX_ctrl(
                            context.pointer,
                            EVP_CTRL_AEAD_SET_TAG,
                            Int32(Self.tagLength),
                            tag
                        ) == 1
                        && EVP_DecryptFinal_ex(context.pointer, nil, &written) == 1
                }
            }
        }
        guard isAuthentic else { throw UnreadableRow() }
        return plaintext
    }

    /// Frees OpenSSL's state, which it wipes.
    private struct Context: ~Copyable {
        let pointer: OpaquePointer

        init() {
            guard let pointer = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
            self.pointer = pointer
        }

        deinit {
            EVP_CIPHER_CTX_free(pointer)
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
