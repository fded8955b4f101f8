internal import EventLoop

/// The bytes of one connection, in the clear on this side whatever they are on the wire.
protocol Transport: AnyObject {
    /// Bytes that a call took and the socket has not: `write` again, with an empty buffer too, when there is room.
    var holdsUnsentBytes: Bool { get }

    func watch(
        on loop: EventLoop,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Watch

    /// Reads once, as `Descriptor.read` does.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult

    /// Writes once, as `Descriptor.send` does.
    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult

    /// Tells the peer in an orderly way that no more will come; reading goes on.
    func finish()
}

/// A connection without encryption.
final class PlainTransport: Transport {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    var holdsUnsentBytes: Bool { false }

    func watch(
        on loop: EventLoop,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Watch {
        try loop.watch(descriptor, for: interest, handler)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        descriptor.read(into: buffer)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        bytes.isEmpty ? .bytes(0) : descriptor.send(bytes)
    }

    func finish() {
        descriptor.shutdownWriting()
    }
}
