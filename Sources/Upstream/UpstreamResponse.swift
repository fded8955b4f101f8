public import TokenBroker

/// A whole answer of a provider.
public struct UpstreamResponse: Sendable {
    public let status: Int
    /// The final head's headers: those of `1xx` answers and trailers are not among them.
    public let headers: UpstreamHeaders
    public let body: [UInt8]
    /// When the request was handed to the connection.
    public let requestedAt: Moment
    /// What the provider's clock showed when the request was handed over, where the `Date` header can be read: the host's
    /// own time where the two agree, else the latest that it may have been.
    public let date: WallInstant?
    /// How far the provider's clock is ahead of the host's at the least: nothing where the two agree, nil where it told
    /// nothing.
    public let clockSkew: Duration?
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
        let skew = date.map { Self.skew(of: $0, askedAt: requestedAt.wall, answeredAt: receivedAt) }
        clockSkew = skew
        self.date = skew == .zero ? requestedAt.wall : date?.advanced(by: Self.unitOfDate)
        retryAfter = headers["Retry-After"].flatMap { Duration(retryAfter: $0, sentAt: date ?? receivedAt) }
    }

    /// A header has whole seconds, rounded down.
    private static let unitOfDate: Duration = .seconds(1)

    /// It was written at some time between question and answer, however long that took: only what lies outside of that says
    /// that the clocks differ, by the distance to the nearer end.
    private static func skew(of date: WallInstant, askedAt: WallInstant, answeredAt: WallInstant) -> Duration {
        let end = date.advanced(by: unitOfDate)
        if end < askedAt { return end.since(askedAt) }
        return max(date.since(answeredAt), .zero)
    }
}
