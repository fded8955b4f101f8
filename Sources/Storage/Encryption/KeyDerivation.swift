internal import COpenSSL
internal import TokenBroker

/// One key for each purpose, all from the store's one (HKDF with SHA-256, RFC 5869): what is sealed for one purpose says
/// nothing about another, and no key encrypts more rows than random nonces are good for.
struct KeyDerivation {
    private let pseudorandomKey: Secret

    /// - Parameter salt: the store's own, so that one key in two stores is not one key.
    init(_ key: Secret, salt: [UInt8]) {
        pseudorandomKey = key.withBytes { key in
            salt.withUnsafeBytes { authenticationCode(key: $0, of: key) }
        }
    }

    /// - Returns: 32 bytes, the first block of HKDF's expansion.
    func key(for purpose: String) -> Secret {
        let info = Array(purpose.utf8) + [1]
        return pseudorandomKey.withBytes { key in
            info.withUnsafeBytes { authenticationCode(key: key, of: $0) }
        }
    }
}

/// HMAC with SHA-256.
func authenticationCode(key: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Secret {
    var code = Plaintext(capacity: 32)
    let isDone = code.append(32) { output in
        HMAC(
            EVP_sha256(),
            key.baseAddress,
            Int32(key.count),
            message.baseAddress?.assumingMemoryBound(to: UInt8.self),
            message.count,
            output.baseAddress?.assumingMemoryBound(to: UInt8.self),
            nil
        ) != nil
    }
    precondition(isDone, "OpenSSL has no HMAC with SHA-256")
    return code.withBytes { Secret($0) }
}
