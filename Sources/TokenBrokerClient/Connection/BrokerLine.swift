internal import HTTPWire

/// The way to the broker, in good times and while it is being restarted.
struct BrokerLine: Sendable {
    /// How long a broker that is not there is waited for: a restart takes a second or two.
    static let restartPatience = Duration.seconds(5)
    /// What an answer may take beyond the time that the broker was asked to wait.
    static let answerMargin = Duration.seconds(5)

    private static let shortestPause = Duration.milliseconds(50)
    private static let longestPause = Duration.seconds(1)

    let path: String
    let transport: any Transport
    let clock: any ClientClock
    let jitter: Jitter

    /// Sends a request, for as long as a restart takes where need be.
    ///
    /// - Parameters:
    ///   - wait: how long the broker was asked to wait.
    ///   - persistence: how long a broker that is not there is waited for.
    /// - Returns: an answer of any status, but no news of a broker that stops.
    /// - Throws: ``TokenBrokerError`` or `CancellationError`.
    func answer(
        to request: HTTPClientRequest,
        wait: Duration,
        persistence: Duration
    ) async throws -> HTTPClientResponse {
        let end = clock.now().boot + persistence
        var backoff = Backoff(from: Self.shortestPause, to: Self.longestPause, jitter: jitter)
        while true {
            let failure: TokenBrokerError
            do {
                let response = try await exchange(request, within: wait + Self.answerMargin)
                guard response.status == 503 else { return response }
                failure = TokenBrokerError(response)
                guard failure.code == .shuttingDown else { return response }
            } catch let error as TransportFailure {
                failure = TokenBrokerError(error, path: path)
                guard error.isPassing else { throw failure }
            }
            let pause = backoff.pause()
            guard clock.now().boot + pause <= end else { throw failure }
            try await clock.sleep(for: pause)
        }
    }

    private func exchange(_ request: HTTPClientRequest, within limit: Duration) async throws -> HTTPClientResponse {
        try await withThrowingTaskGroup(of: HTTPClientResponse?.self) { group in
            group.addTask { try await transport.exchange(request) }
            group.addTask {
                try await clock.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() ?? nil else {
                throw TokenBrokerError(
                    .timedOut,
                    "the broker on \(path) did not answer within \(limit.wholeSeconds) s; its log says why"
                )
            }
            return response
        }
    }
}

extension TokenBrokerError {
    fileprivate init(_ failure: TransportFailure, path: String) {
        switch failure {
        case .pathTooLong:
            self.init(.unreachable, "the path of a socket has at most 103 to 107 bytes: \(path)")
        case .notThere(let reason):
            self.init(.unreachable, "no broker listens on \(path) (\(reason)); is it started, and is this its socket?")
        case .notPermitted:
            self.init(.unreachable, "this user may not use \(path): permission denied")
        case .lost:
            self.init(.unreachable, "the broker on \(path) closed the connection without an answer")
        case .unreadable(let reason):
            self = .unreadable(reason)
        case .noSocket(let reason):
            self.init(.unreachable, "this process cannot open another socket: \(reason)")
        }
    }
}
