internal import HTTPWire
internal import Synchronization

/// Exchanges over the broker's Unix socket, on connections that are kept for the next one.
///
/// A thread of its own does what could wait; the tasks that wait for it hold up no thread. It starts with the first
/// exchange and ends with the transport.
final class UnixTransport: Transport {
    private let path: String
    private let mailbox = Mutex<SocketMailbox?>(nil)

    init(path: String) {
        self.path = path
    }

    deinit {
        mailbox.withLock { $0?.post(.stop) }
    }

    func exchange(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let mailbox = try startedMailbox()
        let answer = Delivery<HTTPClientResponse>()
        mailbox.post(.begin(PendingExchange(request: request.encoded(), answer: answer)))
        return try await answer.value { mailbox.post(.giveUp(answer)) }
    }

    private func startedMailbox() throws(TransportFailure) -> SocketMailbox {
        try mailbox.withLock { (mailbox) throws(TransportFailure) in
            if let mailbox { return mailbox }
            let started = try SocketMailbox()
            try SocketThread.start(path: path, mailbox: started)
            mailbox = started
            return started
        }
    }
}
