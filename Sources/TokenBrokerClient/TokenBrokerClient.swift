internal import HTTPWire
internal import Synchronization

/// A broker as a Swift program sees it: tokens by name.
///
/// Make one and share it: it keeps connections and answers. A token is handed out from memory until the broker wants to
/// be asked again, concurrent callers share one question, and a broker that is being restarted is waited for. A caller
/// that is cancelled stops waiting at once and takes nothing from the others.
///
///     let broker = TokenBrokerClient()
///     let token = try await broker.token(named: "autocomplete-web")
public final class TokenBrokerClient: Sendable {
    /// The longest minimum that the broker knows: more than any token is believed to live.
    private static let longestMinimum = Duration.seconds(30 * 86400)
    /// Over any `limits.wait_max`, and nothing that could not be added to.
    private static let longestPatience = Duration.seconds(86400)

    let line: BrokerLine
    private let patience: Duration
    private let cache = Mutex(TokenCache())
    let flights = SharedFlights<FlightKey, Token>()

    /// What concurrent callers may share.
    enum FlightKey: Hashable {
        case fetch(TokenKey, minimum: Int64)
        case rejection(TokenKey, generation: Int64, providerCode: String?)
    }

    /// - Parameters:
    ///   - socketPath: the broker's apps socket; nil: what the variable `TOKENBROKER_SOCKET` names, else
    ///     `/run/tokenbroker/apps.sock`.
    ///   - patience: how long the broker shall wait for the provider before it answers that there is no token yet.
    public convenience init(socketPath: String? = nil, patience: Duration = .seconds(10)) {
        let path = socketPath ?? AppsSocket.path
        self.init(
            line: BrokerLine(path: path, transport: UnixTransport(path: path), clock: HostClock(), jitter: .random),
            patience: patience
        )
    }

    init(line: BrokerLine, patience: Duration) {
        self.line = line
        self.patience = min(max(.zero, patience), Self.longestPatience)
    }

    /// A token that is valid now.
    ///
    /// When the broker cannot be reached, one that is in memory and still valid is handed out.
    ///
    /// - Parameters:
    ///   - minimumTimeToLive: how much of its life it should have left. The broker gets a new one for it where it can, and
    ///     else answers with what is still valid.
    ///   - endUser: the user, where the token's configuration has one `per-request`.
    ///   - issuerToken: what proves the user to a provider that asks for that.
    /// - Throws: ``TokenBrokerError``, what `issuerToken` threw, or `CancellationError`.
    public func token(
        named name: String,
        minimumTimeToLive: Duration = .zero,
        endUser: EndUser? = nil,
        issuerToken: IssuerTokenSource? = nil
    ) async throws -> Token {
        let subject = try TokenSubject(name, endUser, issuerToken)
        let issuerText = try await issuerToken?.present()
        let key = subject.key(issuerToken: issuerText)
        let minimum = min(max(.zero, minimumTimeToLive), Self.longestMinimum)
        let now = line.clock.now()
        if let token = cache.withLock({ $0.fresh(key, minimum: minimum, at: now) }) { return token }
        return try await flights.value(for: .fetch(key, minimum: minimum.wholeSeconds)) { [self] in
            try await fetch(subject, issuerText, minimum: minimum.wholeSeconds)
        }
    }

    /// Another token in place of one that its provider refused.
    ///
    /// - Parameters:
    ///   - token: what the provider refused.
    ///   - providerCode: the provider's own code for it, where it gave one: it may say that the token is not at fault.
    /// - Throws: ``TokenBrokerError``, what the token's issuer token source threw, or `CancellationError`.
    public func rejected(_ token: Token, providerCode: String? = nil) async throws -> Token {
        let subject = token.subject
        let issuerText = try await subject.issuerToken?.present()
        let key = subject.key(issuerToken: issuerText)
        let now = line.clock.now()
        // Of a hundred requests that were refused with one token, the first brings another for all of them.
        let newer = cache.withLock { cache -> Token? in
            let held = cache.fresh(key, minimum: .zero, at: now)
            if let held, held.generation > token.generation { return held }
            cache.doubt(key, token.generation, at: now)
            return nil
        }
        if let newer { return newer }
        let flight = FlightKey.rejection(key, generation: token.generation, providerCode: providerCode)
        return try await flights.value(for: flight) { [self] in
            try await asking(subject, issuerText) { text in
                let request = subject.reject(
                    token.accessToken,
                    providerCode: providerCode,
                    issuerToken: text,
                    patience: patience
                )
                let response = try await answer(to: request, persistence: BrokerLine.restartPatience)
                return try take(response, to: subject, issuerToken: text)
            }
        }
    }

    /// Every header that one request to a provider needs, signature included where it signs.
    ///
    /// - Parameters:
    ///   - method: of the request, such as `POST`.
    ///   - url: its path and query, or the whole URL on the provider's own origin.
    ///   - bodySHA256: the 32 bytes of the body's SHA-256, for a provider that signs the body.
    ///   - appVersion: for a provider that wants it.
    ///   - endUser: as in ``token(named:minimumTimeToLive:endUser:issuerToken:)``.
    ///   - issuerToken: likewise.
    /// - Throws: ``TokenBrokerError``, what `issuerToken` threw, or `CancellationError`.
    public func authorize(
        named name: String,
        method: String,
        url: String,
        bodySHA256: [UInt8]? = nil,
        appVersion: String? = nil,
        endUser: EndUser? = nil,
        issuerToken: IssuerTokenSource? = nil
    ) async throws -> RequestAuthorization {
        let subject = try TokenSubject(name, endUser, issuerToken)
        let request = OutgoingRequest(method: method, url: url, bodySHA256: bodySHA256, appVersion: appVersion)
        return try await asking(subject, try await issuerToken?.present()) { text in
            let question = subject.authorize(request, issuerToken: text, patience: patience)
            return try RequestAuthorization(
                try await answer(to: question, persistence: BrokerLine.restartPatience)
            )
        }
    }

    // MARK: Asking the broker

    private func fetch(_ subject: TokenSubject, _ issuerText: String?, minimum: Int64) async throws -> Token {
        try await asking(subject, issuerText) { text in
            let key = subject.key(issuerToken: text)
            let request = subject.fetch(issuerToken: text, minimum: minimum, patience: patience)
            // Who holds a valid token need not wait for a broker to come back.
            let persistence = valid(key) == nil ? BrokerLine.restartPatience : .zero
            do {
                return try take(try await answer(to: request, persistence: persistence), to: subject, issuerToken: text)
            } catch let error as TokenBrokerError where error.isAbsence {
                guard let token = valid(key) else { throw error }
                return token
            }
        }
    }

    private func asking<Value>(
        _ subject: TokenSubject,
        _ issuerText: String?,
        _ work: (String?) async throws -> Value
    ) async throws -> Value {
        guard let source = subject.issuerToken, let issuerText else { return try await work(nil) }
        return try await source.retrying(from: issuerText, work)
    }

    private func answer(to request: HTTPClientRequest, persistence: Duration) async throws -> HTTPClientResponse {
        try await line.answer(to: request, wait: patience, persistence: persistence)
    }

    private func valid(_ key: TokenKey) -> Token? {
        let now = line.clock.now()
        return cache.withLock { $0.valid(key, at: now) }
    }

    /// Reads an answer with a token, and keeps the token.
    func take(
        _ response: HTTPClientResponse,
        to subject: TokenSubject,
        issuerToken: String?
    ) throws(TokenBrokerError) -> Token {
        let now = line.clock.now()
        let fetched = try FetchedToken(response, to: subject, key: subject.key(issuerToken: issuerToken), at: now)
        cache.withLock { $0.store(fetched, at: now) }
        return fetched.token
    }
}

extension TokenBrokerError {
    /// Whether this tells of the broker's absence, not of its decision.
    fileprivate var isAbsence: Bool {
        code == .unreachable || code == .timedOut || code == .unreadable || code == .shuttingDown
    }
}
