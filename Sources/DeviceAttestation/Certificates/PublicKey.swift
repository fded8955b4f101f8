internal import COpenSSL
internal import Digests

/// A public key on P-256, ready to check signatures.
struct PublicKey: ~Copyable {
    private let pointer: OpaquePointer

    /// All of a SubjectPublicKeyInfo (RFC 5480) for P-256 that stands before the 65 bytes of the point.
    static let encodingPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    static let pointLength = 65
    /// Says that both coordinates follow.
    static let uncompressed: UInt8 = 4

    /// - Returns: nil for anything but an uncompressed point that is on the curve.
    init?(point: [UInt8]) {
        guard point.count == Self.pointLength, point[0] == Self.uncompressed,
            let key = P256.curve.takeKey(point)
        else { return nil }
        pointer = key
    }

    deinit {
        P256.curve.giveBack(pointer)
    }

    /// Whether `signature`, the DER of ECDSA with SHA-256, is this key's for `message`.
    func isSignature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard let context = EVP_PKEY_CTX_new(pointer, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_verify_init(context) == 1 else { return false }
        let digest = SHA256.digest(of: message)
        return EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
}
