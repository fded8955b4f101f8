internal import HTTPWire
internal import JSON

/// A token with the instants that the client goes by.
struct FetchedToken: Sendable {
    let token: Token
    /// nil: it has no end.
    let end: Deadline?
    /// Until when it is handed out without asking the broker.
    var freshness: Deadline
    let key: TokenKey

    /// How long a credential without an end is kept: the broker has to be asked now and then whether there is another.
    private static let freshnessWithoutEnd = Duration.seconds(60)

    /// Reads an answer of status 200.
    ///
    /// - Parameter now: when the answer had come.
    init(
        _ response: HTTPClientResponse,
        to subject: TokenSubject,
        key: TokenKey,
        at now: Moment
    ) throws(TokenBrokerError) {
        guard response.status == 200 else { throw TokenBrokerError(response) }
        guard let document = try? JSONValue(parsing: response.body),
            let accessToken = document["access_token"]?.string, !accessToken.isEmpty,
            let tokenType = document["token_type"]?.string,
            let generation = document["generation"]?.number?.int64,
            let isDegraded = document["degraded"]?.bool
        else { throw .unreadable("its token has no text, type, generation or condition") }
        let expiresAt = try Self.time("expires_at_ms", in: document, UnixTime.init(milliseconds:))
        let refreshAt = try Self.time("refresh_at", in: document, UnixTime.init(seconds:))
        token = Token(
            accessToken: accessToken,
            tokenType: tokenType,
            expiresAt: expiresAt,
            refreshAt: refreshAt,
            generation: generation,
            isDegraded: isDegraded,
            subject: subject
        )
        end = expiresAt.map { Deadline($0, at: now) }
        freshness = refreshAt.map { Deadline($0, at: now) } ?? Deadline(in: Self.freshnessWithoutEnd, at: now)
        self.key = key
    }

    /// How long it has to live; nil without an end.
    func remaining(at now: Moment) -> Duration? {
        end?.remaining(at: now)
    }

    private static func time(
        _ member: String,
        in document: JSONValue,
        _ make: (Int64) -> UnixTime?
    ) throws(TokenBrokerError) -> UnixTime? {
        switch document[member] {
        case .null?: return nil
        case .number(let number)?:
            if let time = number.int64.flatMap(make) { return time }
            fallthrough
        default: throw .unreadable("its token has no \(member)")
        }
    }
}
