/// When to get the next token while the present one still lives: the one place that decides.
///
/// - The point lies at a random 70–85 % of the lifetime actually seen. A fraction scales from seconds to months, where a
///   fixed lead would refresh a short token on every request. The randomness spreads tokens that were minted in one
///   second, as after a restart, over 15 % of their lifetime.
/// - At least 30 s stay before the end where the lifetime allows it, so that a provider which answers slowly, or fails a
///   few times, costs nobody a token.
public enum RefreshPolicy {
    static let fractions = 0.70..<0.85
    static let preferredLead: Duration = .seconds(30)
    /// A lead may take at most this much of the lifetime, or short tokens would be refreshed all the time.
    static let largestLeadFraction = 0.5

    /// How old a token is when the broker refreshes it.
    static func ageAtRefresh(lifetime: Duration, using random: inout some RandomNumberGenerator) -> Duration {
        let fraction = Double.random(in: fractions, using: &random)
        let lead = min(preferredLead, lifetime.scaled(by: largestLeadFraction))
        return min(lifetime.scaled(by: fraction), lifetime - lead)
    }

    /// How long after the broker's own refresh a client that keeps a copy does well to ask again.
    ///
    /// - Parameter rest: what is left of the token at the broker's refresh; most of it stays ahead of the client.
    static func clientDelay(rest: Duration) -> Duration {
        min(rest.scaled(by: 0.25), .seconds(60))
    }
}
