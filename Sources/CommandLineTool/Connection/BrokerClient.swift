internal import HTTPWire

/// Asks the broker one thing over its socket.
struct BrokerClient: Sendable {
    /// Longer than the broker takes for a mint (`limits.mint_deadline`, 30 s) or a reload.
    static let patience = Duration.seconds(60)

    let path: String
    let patience: Duration

    init(path: String, patience: Duration = Self.patience) {
        self.path = path
        self.patience = patience
    }

    /// Sends the request on a connection of its own and reads the whole answer.
    func answer(to request: HTTPClientRequest) throws(ConnectionFailure) -> HTTPClientResponse {
        let deadline = Deadline(in: patience)
        let socket = try UnixSocket.connected(to: path, by: deadline)
        try socket.send(request.encoded(keepsAlive: false), by: deadline)
        var parser = ResponseParser(limits: Self.limits)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            let count = try socket.receive(into: buffer, by: deadline)
            var position = 0
            let event =
                count == 0
                ? parser.finish()
                : parser.next(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &position)
            switch event {
            case .needsMore: continue
            case .response(let response): return response
            case .refused(let refusal): throw .unreadable(refusal.description)
            }
        }
    }

    private static let bufferSize = 16 * 1024

    /// A status tells of every token: thousands of them at under a kilobyte each.
    private static let limits: WireLimits = {
        var limits = WireLimits.default
        limits.bodyBytes = 16 * 1024 * 1024
        return limits
    }()
}
