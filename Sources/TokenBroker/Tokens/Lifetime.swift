/// How long a minted token lives: what the provider said, held against what can be believed.
struct Lifetime {
    enum Remark {
        /// The provider named no end; the default was taken.
        case unstated
        /// The provider named an end too far off to be believed; the maximum was taken.
        case capped
    }

    /// Stands for no end at all: longer than any process lives, and far from the ends of the clocks.
    private static let endless: Duration = .seconds(100 * 365 * 86400)

    private(set) var duration: Duration
    private(set) var providerExpiry: WallInstant
    let remark: Remark?
    let isEndless: Bool

    /// - Returns: nil when the token is dead on arrival: zero, negative, past, or gone before it could be served.
    init?(of mint: Mint, default defaultLifetime: Duration, maximum: Duration, arrivedAt now: Moment) {
        // An absolute end counts on the provider's clock where its answer tells what that clock shows: a host whose
        // clock is hours off then still knows how long the token lives.
        let reference = mint.providerDate ?? mint.requestedAt.wall
        let stated: Duration
        switch mint.expiry {
        case .at(let instant): stated = instant.since(reference)
        case .after(let lifetime): stated = lifetime
        case .unstated: stated = defaultLifetime
        case .never: stated = Self.endless
        }
        isEndless = mint.expiry == .never
        duration = isEndless ? stated : min(stated, maximum).onCalendar
        let age = now.boot.since(mint.requestedAt.boot)
        guard duration - age >= ServedToken.shortestServed else { return nil }
        if case .unstated = mint.expiry {
            remark = .unstated
        } else {
            remark = !isEndless && stated > maximum ? .capped : nil
        }
        if case .at(let instant) = mint.expiry, remark == nil {
            providerExpiry = instant
        } else {
            providerExpiry = reference.advanced(by: duration)
        }
    }

    /// Ends it early: a token is used no longer than what it was minted from.
    ///
    /// - Returns: nil when nothing was left of it when the answer came.
    func ending(by end: BootInstant, requestedAt: Moment, arrivedAt: Moment) -> Lifetime? {
        let rest = end.since(requestedAt.boot)
        guard rest < duration else { return self }
        guard end.since(arrivedAt.boot) >= ServedToken.shortestServed else { return nil }
        var lifetime = self
        lifetime.providerExpiry = providerExpiry.advanced(by: rest - duration)
        lifetime.duration = rest.onCalendar
        return lifetime
    }
}

extension Duration {
    /// In whole milliseconds, which is what the calendar clock tells: else a token's last second could begin on that clock
    /// a moment before it does on the boot clock, and the token be suspended as if the clock were wrong.
    fileprivate var onCalendar: Duration { .milliseconds(saturatedMilliseconds) }
}
