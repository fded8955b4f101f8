/// A token in service: its text, its end on both clocks, and when to get the next one.
public struct ServedToken: Sendable {
    /// A token with less left than this is not served: it would be dead before the caller's request arrives.
    public static let shortestServed: Duration = .seconds(1)

    public let text: TokenText
    public internal(set) var generation: Generation
    /// When the request that brought it was handed to the connection; both ends count from here.
    public private(set) var issuedAt: Moment
    /// What was left of it at ``issuedAt``.
    public let lifetime: Duration
    /// The end as the provider's clock tells it.
    public let providerExpiry: WallInstant
    /// The end on the clock that nobody can set.
    public let bootDeadline: BootInstant
    /// The end on the host's calendar clock as it stood when the token came.
    public private(set) var wallDeadline: WallInstant
    /// When the broker gets the next one.
    public let refreshPoint: BootInstant
    /// When a client that keeps a copy does well to ask again.
    public let clientRefreshPoint: BootInstant
    /// What it is good for, where the provider says so.
    public let scope: GrantedScope?
    /// Whether it has no end, because it is a long-lived key: the instants above then mean nothing to a caller.
    public let isEndless: Bool
    /// Which version of the long-lived key it was minted with; 0 where that is not known. Four bytes, so that a hundred
    /// thousand tokens take none for it.
    private let keyVersion: UInt32

    var secretVersion: SecretVersionNumber? {
        keyVersion == 0 ? nil : SecretVersionNumber(Int64(keyVersion))
    }

    init(
        text: TokenText,
        generation: Generation,
        issuedAt: Moment,
        lifetime: Lifetime,
        secretVersion: SecretVersionNumber? = nil,
        scope: GrantedScope? = nil,
        using random: inout some RandomNumberGenerator
    ) {
        self.text = text
        self.generation = generation
        self.issuedAt = issuedAt
        self.lifetime = lifetime.duration
        providerExpiry = lifetime.providerExpiry
        isEndless = lifetime.isEndless
        self.scope = scope
        keyVersion = UInt32(clamping: secretVersion?.number ?? 0)
        bootDeadline = issuedAt.boot.advanced(by: lifetime.duration)
        wallDeadline = issuedAt.wall.advanced(by: lifetime.duration)
        let age = RefreshPolicy.ageAtRefresh(lifetime: lifetime.duration, using: &random)
        refreshPoint = issuedAt.boot.advanced(by: age)
        clientRefreshPoint = refreshPoint.advanced(by: RefreshPolicy.clientDelay(rest: lifetime.duration - age))
    }

    /// A token out of the store, with its instants moved onto the present boot's clock.
    init?(_ stored: StoredToken, issuedAt: Moment) {
        guard let text = TokenText(stored.text) else { return nil }
        self.text = text
        generation = stored.generation
        self.issuedAt = issuedAt
        lifetime = stored.lifetime
        providerExpiry = stored.providerExpiry
        isEndless = false
        scope = stored.scope.map(GrantedScope.init)
        keyVersion = UInt32(clamping: stored.secretVersion ?? 0)
        bootDeadline = issuedAt.boot.advanced(by: stored.lifetime)
        wallDeadline = issuedAt.wall.advanced(by: stored.lifetime)
        refreshPoint = issuedAt.boot.advanced(by: stored.refreshAge)
        let rest = RefreshPolicy.clientDelay(rest: stored.lifetime - stored.refreshAge)
        clientRefreshPoint = refreshPoint.advanced(by: rest)
    }

    /// This token with its end on the calendar clock as that is set now.
    func onCalendar(as now: Moment) -> ServedToken {
        var token = self
        token.issuedAt = issuedAt.onCalendar(as: now)
        token.wallDeadline = token.issuedAt.wall.advanced(by: lifetime)
        return token
    }

    /// What may still be relied on: the less of what the two clocks say.
    public func remaining(at now: Moment) -> Duration {
        min(bootDeadline.since(now.boot), calendarDeadline.since(now.wall))
    }

    /// When the boot clock lets it be served no more.
    var endOfService: BootInstant {
        bootDeadline.advanced(by: .nanoseconds(1) - Self.shortestServed)
    }

    public func condition(at now: Moment) -> TokenCondition {
        guard bootDeadline.since(now.boot) >= Self.shortestServed else { return .dead }
        return calendarDeadline.since(now.wall) >= Self.shortestServed ? .live : .suspended
    }

    /// The end on the calendar clock, whether that stands as it did when the token came, or was behind then and has been
    /// put right since: the provider's own number counts then.
    private var calendarDeadline: WallInstant { max(wallDeadline, providerExpiry) }

    /// The end on the host's clock as it is now, so that a local caller's subtraction comes out right even where that
    /// clock is wrong; the provider's own number while the two agree.
    public func expiry(onHostClockAt now: Moment) -> WallInstant {
        let onHostClock = now.wall.advanced(by: bootDeadline.since(now.boot))
        let disagreement = onHostClock.since(providerExpiry)
        return abs(disagreement) < Self.toleratedSkew ? providerExpiry : onHostClock
    }

    /// Below this the host's clock and the provider's count as the same.
    private static let toleratedSkew: Duration = .seconds(5)
}

/// Whether a token may be served.
public enum TokenCondition: Hashable, Sendable {
    case live
    /// Dead by the calendar clock alone, which may be wrong: not served, and back in service if that clock is put right.
    case suspended
    case dead
}

/// A number that a name's tokens carry: it only grows, and none is used twice.
public struct Generation: Hashable, Comparable, Sendable {
    public let number: Int64

    public init(_ number: Int64) {
        self.number = number
    }

    public static func < (lhs: Generation, rhs: Generation) -> Bool {
        lhs.number < rhs.number
    }

    /// What a run that knows of no number before begins with: the clock's microseconds, which no run before it has come up
    /// to, for blocks of thousands of numbers are used up slower than that. A JSON number holds them exactly.
    public static func first(at wall: WallInstant) -> Generation {
        let (number, overflows) = wall.milliseconds.multipliedReportingOverflow(by: 1000)
        return Generation(overflows ? 0 : number)
    }
}

private func abs(_ duration: Duration) -> Duration {
    duration < .zero ? .zero - duration : duration
}
