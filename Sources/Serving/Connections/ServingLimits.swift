/// The limits of a connection that no configuration sets.
enum ServingLimits {
    /// From a request's first byte to its last: long for a local socket, and a byte a second does not extend it.
    static let requestDeadline: Duration = .seconds(10)
    /// A proxy keeps its connections open between requests for about a minute; ours must not end first.
    static let idleDeadline: Duration = .seconds(300)
    /// For a client to take its answer: a reader that stopped must not hold a buffer for ever.
    static let sendDeadline: Duration = .seconds(10)
    /// For a refused client to stop sending, so that it reads why before the connection is gone.
    static let lingerDeadline: Duration = .seconds(2)
    /// From the beginning of a drain, for the first request of a client that has just connected: it knows nothing of the
    /// drain, and unlike one whose connection was in use it takes the end for a failure. Clients ask within milliseconds;
    /// one that opened a connection for later must not hold up a stop.
    static let drainGrace: Duration = .milliseconds(250)
    /// How many requests of one connection a turn of the loop answers: a client that sends a thousand at once holds up
    /// itself and nobody else.
    static let requestsPerTurn = 32
    /// What one read takes at most, and so what is kept of a client that does not wait for its answers. The buffer is
    /// shared by all connections of a loop.
    static let readBytes = 16 * 1024
}
