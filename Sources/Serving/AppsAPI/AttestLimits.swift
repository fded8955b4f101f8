internal import TokenBroker

/// How much of what costs something without a proof a client gets, and all clients together. Used on the loop's thread only.
struct AttestLimits {
    /// A challenge costs a microsecond, and nothing more until it is used. Many phones can share one address.
    private var challenges = ClientLimit<ClientAddress>(
        each: RateLimit(burst: 60, interval: .seconds(1)),
        all: RateLimit(burst: 1000, interval: .milliseconds(2))
    )
    /// A registration costs a few milliseconds on the verifying thread. An app makes one for each time it is installed.
    private var registrations = ClientLimit<ClientAddress>(
        each: RateLimit(burst: 20, interval: .seconds(10)),
        all: RateLimit(burst: 200, interval: .milliseconds(50))
    )

    /// - Returns: how long to wait; nil where it is allowed, and counted.
    mutating func challenge(_ client: ClientAddress?, at now: BootInstant) -> Duration? {
        challenges.take(client, at: now)
    }

    mutating func registration(_ client: ClientAddress?, at now: BootInstant) -> Duration? {
        registrations.take(client, at: now)
    }
}
