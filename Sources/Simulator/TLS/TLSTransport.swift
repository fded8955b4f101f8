internal import COpenSSL
internal import EventLoop
internal import Glibc

/// A connection under TLS, as the server.
///
/// OpenSSL works on two memory buffers and never sees the socket: its own socket code would write without
/// `MSG_NOSIGNAL`, and a client that is gone would kill the process.
final class TLSTransport: Transport {
    /// A TLS record holds 16 KiB.
    private static let recordBytes = 16 * 1024

    private let descriptor: Descriptor
    private let session: OpaquePointer
    private let received: OpaquePointer
    private let produced: OpaquePointer
    /// Encrypted bytes the socket has not taken.
    private var unsent: [UInt8] = []

    init(_ descriptor: consuming Descriptor, _ context: TLSContext) {
        guard let session = SSL_new(context.pointer), let received = BIO_new(BIO_s_mem()),
            let produced = BIO_new(BIO_s_mem())
        else { preconditionFailure("OpenSSL has no memory") }
        self.descriptor = descriptor
        self.session = session
        self.received = received
        self.produced = produced
        // The session owns both buffers from here on.
        SSL_set_bio(session, received, produced)
        SSL_set_accept_state(session)
    }

    deinit {
        SSL_free(session)
    }

    var holdsUnsentBytes: Bool { !unsent.isEmpty }

    func watch(
        on loop: EventLoop,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Watch {
        try loop.watch(descriptor, for: interest, handler)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        while true {
            let count = SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count))
            // The handshake's own bytes, and alerts.
            if let failure = flush() { return .failed(failure) }
            if count > 0 { return .bytes(Int(count)) }
            if SSL_get_shutdown(session) & SSL_RECEIVED_SHUTDOWN != 0 { return .endOfStream }
            if hasFailed { return .failed(SystemError(call: "SSL_read", number: EPROTO)) }
            let result = receive()
            guard case .bytes = result else { return result }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult {
        if let failure = flush() { return .failed(failure) }
        if holdsUnsentBytes { return .wouldBlock }
        if bytes.isEmpty { return .bytes(0) }
        let count = SSL_write(session, bytes.baseAddress, Int32(min(bytes.count, Self.recordBytes)))
        guard count > 0 else { return .failed(SystemError(call: "SSL_write", number: EPROTO)) }
        if let failure = flush() { return .failed(failure) }
        return .bytes(Int(count))
    }

    func finish() {
        _ = SSL_shutdown(session)
        // The client has its answer; whether it also gets the farewell is no longer of interest.
        _ = flush()
        descriptor.shutdownWriting()
    }

    /// Whether a fatal error has ended the session; else OpenSSL only wants more bytes, for its buffers always have room.
    ///
    /// The session's own state is asked, and not `SSL_get_error`: that looks into the thread's error queue, where another
    /// connection's failure may lie.
    private var hasFailed: Bool {
        String(cString: SSL_state_string_long(session)) == "error"
    }

    /// Hands what has come in to OpenSSL.
    private func receive() -> ReadResult {
        withUnsafeTemporaryAllocation(byteCount: Self.recordBytes, alignment: 1) { buffer in
            let result = descriptor.read(into: buffer)
            if case .bytes(let count) = result {
                let taken = BIO_write(received, buffer.baseAddress, Int32(count))
                precondition(taken == Int32(count), "a memory buffer takes everything")
            }
            return result
        }
    }

    /// Sends what OpenSSL has produced, as far as there is room.
    private func flush() -> SystemError? {
        let pending = Int(BIO_ctrl_pending(produced))
        if pending > 0 {
            unsent += [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
                count = Int(max(BIO_read(produced, buffer.baseAddress, Int32(buffer.count)), 0))
            }
        }
        while !unsent.isEmpty {
            switch unsent.withUnsafeBytes({ descriptor.send($0) }) {
            case .bytes(let count): unsent.removeFirst(count)
            case .wouldBlock: return nil
            case .failed(let error): return error
            }
        }
        return nil
    }
}
