internal import COpenSSL

/// Digests with SHA-256.
enum Digest {
    private static let count = 32

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            let isDone = EVP_Digest(bytes, bytes.count, output.baseAddress, nil, EVP_sha256(), nil) == 1
            precondition(isDone, "OpenSSL has no SHA-256")
            initialized = count
        }
    }

    /// HMAC with SHA-256 (RFC 2104).
    static func authenticationCode(key: [UInt8], of message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            let code = HMAC(
                EVP_sha256(),
                key,
                Int32(key.count),
                message,
                message.count,
                output.baseAddress,
                nil
            )
            precondition(code != nil, "OpenSSL has no HMAC with SHA-256")
            initialized = count
        }
    }
}

extension [UInt8] {
    /// Two lower-case digits a byte.
    var hexadecimal: String {
        map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
