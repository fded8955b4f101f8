internal import Glibc

/// Bytes from the kernel's generator, for nonces, salts and keys.
func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // Fails only for more than 256 bytes, or where the kernel has no generator.
    guard getentropy(&bytes, count) == 0 else { fatalError("the kernel gives no random bytes") }
    return bytes
}
