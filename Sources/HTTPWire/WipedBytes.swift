/// The bytes of a body, which may be a key: overwritten when the last request that holds them is let go of.
final class WipedBytes: Sendable {
    // Changed by `deinit` alone, so that sharing it between threads is safe.
    private nonisolated(unsafe) var storage: [UInt8]

    init(_ bytes: [UInt8]) {
        storage = bytes
    }

    var bytes: [UInt8] { storage }

    deinit {
        // In place: whoever read them has let go of its reference to the same memory by now.
        storage.withUnsafeMutableBytes(overwrite)
    }
}

/// Kept out of line and unoptimized, or the stores would be removed as dead.
@inline(never)
@_optimize(none)
private func overwrite(_ buffer: UnsafeMutableRawBufferPointer) {
    _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
}
