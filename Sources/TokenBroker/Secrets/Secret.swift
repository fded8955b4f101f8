/// A long-lived key or a token: bytes that are wiped when the last owner lets go and that never print.
///
/// The bytes live in one buffer of their own, so that there is one place to wipe. Whoever takes a copy through
/// ``withBytes(_:)`` owns that copy's end.
public final class Secret: Sendable, CustomStringConvertible, CustomReflectable {
    // Never written after `init` and freed only by `deinit`, so that sharing it between threads is safe.
    private nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

    /// Takes a copy of `bytes`.
    public init(_ bytes: some Collection<UInt8>) {
        buffer =
            Self.memory?.allocate(bytes.count) ?? .allocate(byteCount: bytes.count, alignment: 1)
        buffer.copyBytes(from: bytes)
    }

    deinit {
        wipe(buffer)
        if Self.memory?.free(buffer) != true { buffer.deallocate() }
    }

    public var count: Int { buffer.count }

    /// Lends the bytes for the duration of `body`; the pointer must not leave it.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(buffer))
    }

    /// Whether the bytes begin with the ASCII text `prefix`: enough to tell the kinds of keys apart.
    public func hasPrefix(_ prefix: String) -> Bool {
        buffer.starts(with: prefix.utf8)
    }

    public var description: String { "<redacted>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Secret: Equatable {
    /// Compares without telling by its duration where the first difference is.
    public static func == (lhs: Secret, rhs: Secret) -> Bool {
        guard lhs.count == rhs.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(lhs.buffer, rhs.buffer) {
            difference |= left ^ right
        }
        return difference == 0
    }
}

// MARK: - Where the bytes are

/// The port to memory that is kept out of swap and of dumps.
public protocol SecretMemory: Sendable {
    /// - Returns: nil where there is none left: the bytes are then kept in usual memory.
    func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer?

    /// Takes back a buffer that was wiped.
    ///
    /// - Returns: false for one that is not of this memory.
    func free(_ buffer: UnsafeMutableRawBufferPointer) -> Bool
}

extension Secret {
    /// Set once, before there is a second thread; so it is read without a lock.
    private nonisolated(unsafe) static var memory: (any SecretMemory)?

    /// Has the bytes of all secrets made from now on kept in `memory`. To be called once, before there is a second thread.
    public static func keep(in memory: any SecretMemory) {
        precondition(self.memory == nil, "the memory of secrets was chosen before")
        self.memory = memory
    }
}

/// Overwrites memory that is about to be freed; kept out of line and unoptimized, or the stores would be removed as dead.
///
/// One call into the standard library: a loop here would be unoptimized too, and take 26 µs for a token instead of 0.2.
@inline(never)
@_optimize(none)
private func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    _ = buffer.initializeMemory(as: UInt8.self, repeating: 0)
}
