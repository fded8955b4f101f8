internal import HTTPWire

/// A connection to the broker and the exchange that is under way on it. Used on the socket thread only.
final class SocketConnection {
    enum Progress {
        case waiting
        case answered(HTTPClientResponse)
        case failed(TransportFailure)
    }

    let descriptor: Descriptor
    private(set) var exchange: PendingExchange?
    /// Whether the exchange is the connection's first. Where it is not, the broker may have closed meanwhile.
    private(set) var isFirst = true
    private var unsent: ArraySlice<UInt8> = []
    private var parser = ResponseParser()
    private var mayBeKept = true

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Whether another exchange may begin on it.
    var isIdle: Bool { exchange == nil && mayBeKept }

    var wantsToSend: Bool { !unsent.isEmpty }

    func begin(_ exchange: PendingExchange) {
        self.exchange = exchange
        unsent = exchange.request[...]
    }

    /// Takes the exchange off the connection after its answer.
    ///
    /// - Parameter isKept: whether there is room for the connection to be kept.
    func end(keeping isKept: Bool) {
        exchange = nil
        isFirst = false
        mayBeKept = mayBeKept && isKept && unsent.isEmpty
    }

    /// Sends and receives as much as is possible without waiting.
    ///
    /// On an idle connection there is nothing to receive: whatever comes, the end of the connection as a rule, is
    /// ``TransportFailure/lost``.
    func proceed(_ buffer: UnsafeMutableRawBufferPointer) -> Progress {
        send()
        while true {
            switch descriptor.receive(into: buffer) {
            case .wouldWait: return .waiting
            case .bytes where exchange == nil: return .failed(.lost)
            case .bytes(let count):
                if let progress = take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { return progress }
            case .ended:
                guard exchange != nil, case .response(let response) = parser.finish() else { return .failed(.lost) }
                return .answered(response)
            }
        }
    }

    /// A broker may answer and close before it has read the whole request. Its answer is then still to be read, so a
    /// closed connection is no failure here.
    private func send() {
        while !unsent.isEmpty {
            switch descriptor.send(unsent) {
            case .bytes(let count): unsent = unsent.dropFirst(count)
            case .wouldWait: return
            case .ended:
                unsent = []
                mayBeKept = false
            }
        }
    }

    /// - Returns: nil where the answer is not whole yet.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Progress? {
        var position = 0
        switch parser.next(bytes, &position) {
        case .needsMore: return nil
        case .refused(let refusal): return .failed(.unreadable(refusal.description))
        case .response(let response):
            mayBeKept = mayBeKept && response.keepsAlive && position == bytes.count
            return .answered(response)
        }
    }
}
