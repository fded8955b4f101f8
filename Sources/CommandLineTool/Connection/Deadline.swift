internal import Glibc

/// The moment at which a whole exchange is given up, however slowly its bytes trickle.
struct Deadline: Sendable {
    private let milliseconds: Int64

    init(in duration: Duration) {
        let (seconds, attoseconds) = duration.components
        milliseconds = Self.now + seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// What is left of it; nil when it has passed.
    var remaining: timeval? {
        let left = milliseconds - Self.now
        guard left > 0 else { return nil }
        return timeval(tv_sec: Int(left / 1000), tv_usec: Int(left % 1000 * 1000))
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
