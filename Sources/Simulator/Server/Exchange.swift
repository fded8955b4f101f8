internal import EventLoop
internal import HTTPWire

/// One request and how it will be answered; in flight for as long as it lives.
final class Exchange {
    /// How the connection has to treat the request before its answer is made, and the answer's bytes after it.
    struct Handling {
        var delay: Duration = .zero
        /// No answer ever comes.
        var hangs = false
        /// The connection is dropped after that many bytes of the answer.
        var closeAfterBytes: Int?
    }

    let request: HTTPRequest
    let handling: Handling
    private let respond: () -> HTTPResponse
    private let onEnd: () -> Void

    /// - Parameters:
    ///   - respond: Called once, after the delay.
    ///   - onEnd: Called when the answer has been handed over or the client has gone.
    init(
        _ request: HTTPRequest,
        handling: Handling = Handling(),
        respond: @escaping () -> HTTPResponse,
        onEnd: @escaping () -> Void = {}
    ) {
        self.request = request
        self.handling = handling
        self.respond = respond
        self.onEnd = onEnd
    }

    deinit {
        onEnd()
    }

    /// The answer as bytes, cut off where the connection is to be dropped.
    func answer() -> [UInt8] {
        let bytes = respond().encoded(
            version: request.version,
            keepsAlive: request.keepsAlive,
            includesBody: request.method != .head
        )
        return Array(bytes.prefix(handling.closeAfterBytes ?? .max))
    }
}
