extension Knob {
    /// What Palbase alone can be told.
    static let palbase: [Knob] = [
        integer(
            "grace_seconds",
            \.graceSeconds,
            0...longestSpanSeconds,
            "palbase: for how long a spent refresh token may come again (default: \(Palbase.defaultGraceSeconds))"
        ),
        integer(
            "refresh_lifetime_seconds",
            \.refreshLifetimeSeconds,
            -longestSpanSeconds...longestSpanSeconds,
            "palbase: how long a new refresh token lives (default: 30 days)"
        ),
        integer(
            "refreshes_per_minute",
            \.refreshesPerMinute,
            0...1_000_000,
            "palbase: how often a session may refresh (default: \(RefreshLimit.defaultCount))"
        ),
    ]
}
