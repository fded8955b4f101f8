internal import EventLoop
internal import HTTPWire

/// One client's connection: reads a request, has it answered, and goes on to the next. On the loop's thread only.
final class Connection: ReadinessHandler {
    private enum Ending {
        /// Let the client take in the answer and close first: a close with bytes unread would reset the connection
        /// and may cost the client the answer.
        case orderly
        /// The fault that was asked for.
        case abrupt
    }

    private static let readBytes = 16 * 1024

    private let transport: any Transport
    private let loop: EventLoop
    private let router: Router
    private let onClose: (Connection) -> Void
    private var watch: Watch?
    private var parser = RequestParser()
    private var input: [UInt8] = []
    private var position = 0
    private var output: [UInt8] = []
    private var sent = 0
    private var exchange: Exchange?
    private var delay: Timer?
    private var ending: Ending?
    private var isDraining = false

    init(
        _ transport: any Transport,
        loop: EventLoop,
        router: Router,
        onClose: @escaping (Connection) -> Void
    ) throws(SystemError) {
        self.transport = transport
        self.loop = loop
        self.router = router
        self.onClose = onClose
        watch = try transport.watch(on: loop, for: .read, self)
        delay = loop.timer { [unowned self] in
            answer()
            pump()
        }
    }

    func ready(_ readiness: Readiness) {
        // A client that has left while it waited is no longer interested in the answer.
        let isAbandoned = exchange != nil && readiness.contains(.peerClosed)
        if isAbandoned || readiness.contains(.failed) || readiness.contains(.hungUp) {
            close()
        } else {
            pump()
        }
    }

    /// Drops the connection.
    func close() {
        guard let watch else { return }
        self.watch = nil
        delay?.cancel()
        exchange = nil
        loop.unwatch(watch)
        onClose(self)
    }

    /// Does all that can be done now, then asks to be told when more can.
    private func pump() {
        while watch != nil {
            guard let isFlushed = flush() else { return close() }
            if !isFlushed { return wait(for: .write) }
            if let ending {
                if ending == .abrupt { return close() }
                if !isDraining {
                    transport.finish()
                    isDraining = true
                }
            }
            if exchange != nil { return wait(for: .peerClosed) }
            if !isDraining, parse() { continue }
            guard read() else { return }
        }
    }

    private func wait(for interest: Interest) {
        guard let watch else { return }
        loop.change(watch, to: transport.holdsUnsentBytes ? interest.union(.write) : interest)
    }
}

// MARK: - Bytes

extension Connection {
    /// Sends what there is to send. Nil where the client is gone, false where there is no room.
    private func flush() -> Bool? {
        while sent < output.count || transport.holdsUnsentBytes {
            switch output.withUnsafeBytes({ transport.write(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
            case .bytes(let count): sent += count
            case .wouldBlock: return false
            case .failed: return nil
            }
        }
        output = []
        sent = 0
        return true
    }

    /// Reads once; false where there is nothing more to do now.
    private func read() -> Bool {
        var result = ReadResult.wouldBlock
        input = Array(unsafeUninitializedCapacity: Self.readBytes) { buffer, count in
            result = transport.read(into: UnsafeMutableRawBufferPointer(buffer))
            if case .bytes(let bytes) = result { count = bytes }
        }
        position = 0
        switch result {
        case .bytes: return true
        case .wouldBlock: wait(for: .read)
        case .endOfStream, .failed: close()
        }
        return false
    }
}

// MARK: - Requests

extension Connection {
    /// Takes the next request out of what was read; false where more has to be read for it.
    private func parse() -> Bool {
        switch input.withUnsafeBytes({ parser.next($0, &position) }) {
        case .needsMore:
            return false
        case .continueExpected:
            output += HTTPResponse.continueBytes
        case .request(let request):
            begin(router.exchange(for: request))
        case .refused(let refusal):
            let body: [UInt8] = Array("\(refusal)\n".utf8)
            let response = HTTPResponse(status: refusal.status, headers: [.plainText], body: body)
            output += response.encoded(version: .http11, keepsAlive: false)
            ending = .orderly
        }
        return true
    }

    private func begin(_ exchange: Exchange) {
        self.exchange = exchange
        if exchange.handling.hangs { return }
        if exchange.handling.delay > .zero {
            delay?.arm(after: exchange.handling.delay)
        } else {
            answer()
        }
    }

    private func answer() {
        guard let exchange else { return }
        output += exchange.answer()
        if exchange.handling.closeAfterBytes != nil {
            ending = .abrupt
        } else if !exchange.request.keepsAlive {
            ending = .orderly
        }
        self.exchange = nil
    }
}

extension WireRefusal {
    fileprivate var status: Int {
        switch code {
        case .malformed, .unexpectedEnd: 400
        case .headersTooLarge: 431
        case .payloadTooLarge: 413
        case .versionNotSupported: 505
        }
    }
}

extension HeaderField {
    fileprivate static let plainText = HeaderField(constant: "Content-Type", "text/plain; charset=utf-8")
}
