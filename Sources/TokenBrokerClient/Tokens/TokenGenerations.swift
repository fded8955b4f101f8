internal import HTTPWire

/// The tokens of a name: the present one first, then each new generation as it comes.
///
/// Goes on through restarts of the broker and failures of the provider. A reader that is slower than the tokens misses
/// those that have been replaced meanwhile. Ends when its task is cancelled.
public struct TokenGenerations: AsyncSequence, Sendable {
    public typealias Element = Token

    let client: TokenBrokerClient
    let name: String
    let endUser: EndUser?

    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// How long one poll lasts.
        private static let wait = Duration.seconds(60)
        private static let shortestPause = Duration.milliseconds(200)
        private static let longestPause = Duration.seconds(5)
        /// A provider may ask for minutes; a broker that is reloaded meanwhile can know better.
        private static let longestHeeded = Duration.seconds(60)

        private let tokens: TokenGenerations
        private var backoff: Backoff
        private var known: Int64?
        /// A broker that was there comes back; one that never was may be somewhere else.
        private var hasAnswered = false

        fileprivate init(_ tokens: TokenGenerations) {
            self.tokens = tokens
            backoff = Backoff(from: Self.shortestPause, to: Self.longestPause, jitter: tokens.client.line.jitter)
        }

        private var line: BrokerLine { tokens.client.line }

        /// Waits for the next generation.
        ///
        /// - Returns: nil when the task is cancelled.
        /// - Throws: ``TokenBrokerError`` where asking again would change nothing: there is no such token for this peer,
        ///   or there was no broker from the start.
        public mutating func next() async throws -> Token? {
            while true {
                do {
                    if let token = try await poll() {
                        backoff.reset()
                        known = token.generation
                        return token
                    }
                    // A broker that stops, or lets nobody wait, answers at once: it is not asked without a pause. What
                    // comes meanwhile is not lost, for a poll compares generations.
                    backoff.reset()
                    try await line.clock.sleep(for: Self.shortestPause)
                } catch is CancellationError {
                    return nil
                } catch let error as TokenBrokerError where isPassing(error) {
                    let pause = Swift.max(backoff.pause(), Swift.min(error.retryAfter ?? .zero, Self.longestHeeded))
                    guard (try? await line.clock.sleep(for: pause)) != nil else { return nil }
                }
            }
        }

        /// - Returns: nil where there is nothing new.
        private mutating func poll() async throws -> Token? {
            let subject = try TokenSubject(tokens.name, tokens.endUser, nil)
            let request = subject.poll(after: known, wait: Self.wait)
            let persistence = hasAnswered ? .zero : BrokerLine.restartPatience
            let response = try await line.answer(to: request, wait: Self.wait, persistence: persistence)
            hasAnswered = true
            if response.status == 304 { return nil }
            let token = try tokens.client.take(response, to: subject, issuerToken: nil)
            return token.generation == known ? nil : token
        }

        /// 4xx is about the question, and 429 about how often; the rest is about the moment.
        private func isPassing(_ error: TokenBrokerError) -> Bool {
            guard let status = error.status else { return hasAnswered }
            return status >= 500 || status == 429
        }
    }
}

extension TokenBrokerClient {
    /// The present token, then each new generation of it, by asking the broker to tell when there is one.
    ///
    /// - Parameters:
    ///   - name: the token's.
    ///   - endUserID: the user, where the token's configuration has one `per-request`.
    public func generations(of name: String, endUserID: String? = nil) -> TokenGenerations {
        TokenGenerations(client: self, name: name, endUser: endUserID.map { EndUser(id: $0) })
    }
}
