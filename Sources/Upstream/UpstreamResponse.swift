public import TokenBroker

/// A whole answer of a provider.
public struct UpstreamResponse: Sendable {
    public let status: Int
    /// The final head's headers: those of `1xx` answers and trailers are not among them.
    public let headers: UpstreamHeaders
    public let body: [UInt8]
    /// When the request was handed to the connection.
    public let requestedAt: Moment
    /// What the provider's clock showed at the most when the request was handed over, where the `Date` header can be read;
    /// the host's own where the two agree.
    public let date: WallInstant?
    /// The pause that the `Retry-After` header asks for, counted from the answer's arrival; not capped.
    public let retryAfter: Duration?

    /// - Parameter receivedAt: the host's clock when the answer arrived; a date in `Retry-After` is measured from it where
    ///   the answer has no `Date`.
    public init(
        status: Int,
        headers: UpstreamHeaders = [:],
        body: [UInt8] = [],
        requestedAt: Moment,
        receivedAt: WallInstant
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.requestedAt = requestedAt
        let date = headers["Date"].flatMap { WallInstant(httpDate: $0, reference: receivedAt) }
        self.date = date.map { Self.latest($0, from: requestedAt.wall, to: receivedAt) }
        retryAfter = headers["Retry-After"].flatMap { Duration(retryAfter: $0, sentAt: date ?? receivedAt) }
    }

    /// A header has whole seconds, rounded down, and was written at some time between question and answer. Who takes it as it
    /// stands believes in nearly a second too many for every token.
    private static func latest(
        _ header: WallInstant,
        from asked: WallInstant,
        to answered: WallInstant
    ) -> WallInstant {
        let end = header.advanced(by: .seconds(1))
        let agrees = header <= answered && asked < end
        return agrees ? max(asked, header) : end
    }
}
