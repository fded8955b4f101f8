internal import COpenSSL
internal import Synchronization

/// The curve as OpenSSL's keys have it, looked up once, and the keys on it that nobody uses now.
///
/// A key whose encoding names the curve costs 30 to 200 µs, and one that begins as a copy of another 10; one that was used
/// before and is given another point costs 1, while the signature takes 75.
///
/// `@unchecked Sendable`: the curve's key is never changed, it is only copied from; each other key is in `idle` or with the
/// one who took it from there.
final class P256: @unchecked Sendable {
    static let curve = P256()

    private let parameters: OpaquePointer
    /// As many as were in use at once. As numbers, because a pointer cannot be handed from thread to thread.
    private let idle = Mutex<[UInt]>([])

    private init() {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { preconditionFailure("OpenSSL has no curves") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_paramgen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_paramgen(context, &key) == 1, let key
        else { preconditionFailure("OpenSSL has no P-256") }
        parameters = key
    }

    /// - Returns: the key, which the caller gives back; nil where the point is not on the curve.
    func takeKey(_ point: [UInt8]) -> OpaquePointer? {
        guard let key = idle.withLock({ $0.popLast() }).flatMap(OpaquePointer.init(bitPattern:)) ?? newKey() else {
            return nil
        }
        guard EVP_PKEY_set1_encoded_public_key(key, point, point.count) == 1 else {
            giveBack(key)
            return nil
        }
        return key
    }

    /// Nobody uses the key any more.
    func giveBack(_ key: OpaquePointer) {
        idle.withLock { $0.append(UInt(bitPattern: key)) }
    }

    private func newKey() -> OpaquePointer? {
        guard let key = EVP_PKEY_new() else { return nil }
        guard EVP_PKEY_copy_parameters(key, parameters) == 1 else {
            EVP_PKEY_free(key)
            return nil
        }
        return key
    }
}
