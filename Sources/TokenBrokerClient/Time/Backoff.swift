/// Pauses that double up to a longest one, each cut to a random part of itself: the clients of a broker that has come
/// back shall not all ask in the same instant.
struct Backoff: Sendable {
    private let shortest: Duration
    private let longest: Duration
    private let jitter: Jitter
    private var next: Duration

    init(from shortest: Duration, to longest: Duration, jitter: Jitter) {
        self.shortest = shortest
        self.longest = longest
        self.jitter = jitter
        next = shortest
    }

    mutating func pause() -> Duration {
        defer { next = min(next * 2, longest) }
        return jitter.cut(next)
    }

    mutating func reset() {
        next = shortest
    }
}

/// Where the random part of a pause comes from; tests bring their own.
struct Jitter: Sendable {
    let cut: @Sendable (Duration) -> Duration

    /// Between half of it and all of it: never so little that a broker would be asked without a pause.
    static let random = Jitter { $0 / 2 + $0 * Double.random(in: 0...0.5) }
}
