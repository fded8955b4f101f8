internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    public static let length = 32

    /// Looked up once: by name it costs more than a short message takes. It is shared as OpenSSL says that it may be, and
    /// never freed.
    private nonisolated(unsafe) static let algorithm: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else { preconditionFailure("OpenSSL has no SHA-256") }
        return algorithm
    }()

    /// The 32 bytes of the digest.
    public static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            // Without a base address there are no bytes, and OpenSSL reads none.
            guard EVP_Digest(bytes.baseAddress, bytes.count, buffer.baseAddress, nil, algorithm, nil) == 1 else {
                preconditionFailure("OpenSSL cannot digest")
            }
            count = length
        }
    }

    public static func digest(of bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { digest(of: $0) }
    }
}

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
    /// The 32 bytes of the code.
    public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.length) { buffer, count in
            let result = key.withUnsafeBytes { key in
                HMAC(EVP_sha256(), key.baseAddress, Int32(key.count), message, message.count, buffer.baseAddress, nil)
            }
            guard result != nil else { preconditionFailure("OpenSSL has no HMAC") }
            count = SHA256.length
        }
    }
}
