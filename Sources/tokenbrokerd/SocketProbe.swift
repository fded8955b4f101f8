internal import EventLoop

/// One request over a socket of the daemon's own, as an application would make it.
///
/// Any answer is a sign of life, and so is a connection that was closed without one, as happens where strangers have
/// taken all the places there are for them: the daemon's loop took it all the same.
final class SocketProbe: ReadinessHandler {
    private static let request = Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)

    private let loop: EventLoop
    private let socket: Descriptor
    private let answered: () -> Void
    private var watch: Watch?

    /// Connects and sends the request. The loop, which is another one than the loop asked, keeps this object until the
    /// answer.
    ///
    /// - Throws: where the request cannot be sent now; `answered` is not called then.
    @discardableResult
    init(of listener: UnixListener, on loop: EventLoop, _ answered: @escaping () -> Void) throws(SystemError) {
        self.loop = loop
        self.answered = answered
        socket = try listener.connection()
        // It fits into an empty socket; one that is dead by now is told of by the loop.
        _ = Self.request.withUnsafeBytes { socket.send($0) }
        watch = try loop.watch(socket, for: .read, self)
    }

    func ready(_ readiness: Readiness) {
        let result = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { socket.read(into: $0) }
        guard result != .wouldBlock, let watch else { return }
        loop.unwatch(watch)
        self.watch = nil
        answered()
    }
}
