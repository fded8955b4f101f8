internal import HTTPWire

/// Carries one request to the broker and its answer back; tests bring their own.
protocol Transport: Sendable {
    /// - Throws: ``TransportFailure``, or `CancellationError` as soon as the task is cancelled.
    func exchange(_ request: HTTPClientRequest) async throws -> HTTPClientResponse
}

/// Why there was no answer.
enum TransportFailure: Error, Equatable {
    /// The path is longer than the kernel's field for it.
    case pathTooLong
    /// Nobody listens there, or nobody has room for one more; the text is the system's reason.
    case notThere(String)
    /// The socket or its directory does not let this user in.
    case notPermitted
    /// The connection ended before the answer did.
    case lost
    /// What came back is no HTTP answer.
    case unreadable(String)
    /// This process cannot open another socket; the text is the system's reason.
    case noSocket(String)

    /// Whether a broker that is being restarted looks like this. Every request to it is safe to repeat.
    var isPassing: Bool {
        switch self {
        case .notThere, .lost: true
        case .pathTooLong, .notPermitted, .unreadable, .noSocket: false
        }
    }
}
