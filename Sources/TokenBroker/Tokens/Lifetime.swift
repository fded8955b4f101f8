/// How long a minted token lives: what the provider said, held against what can be believed.
struct Lifetime {
    enum Remark {
        /// The provider named no end; the default was taken.
        case unstated
        /// The provider named an end too far off to be believed; the maximum was taken.
        case capped
    }

    let duration: Duration
    let providerExpiry: WallInstant
    let remark: Remark?

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
        }
        duration = min(stated, maximum)
        let age = now.boot.since(mint.requestedAt.boot)
        guard duration - age >= ServedToken.shortestServed else { return nil }
        if case .unstated = mint.expiry {
            remark = .unstated
        } else {
            remark = stated > maximum ? .capped : nil
        }
        if case .at(let instant) = mint.expiry, remark == nil {
            providerExpiry = instant
        } else {
            providerExpiry = reference.advanced(by: duration)
        }
    }
}
