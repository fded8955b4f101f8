/// What is told of all the users of one name together: of a single one nothing is.
struct UserTotals {
    /// Users of whom something is held.
    var users = 0
    var mints = 0
    var failures = 0
    /// The newest failure.
    var lastSetback: Setback?
    /// Whether a fact about the provider's lifetimes has been told: once for all users.
    var hasWarnedOfLifetime = false
}
