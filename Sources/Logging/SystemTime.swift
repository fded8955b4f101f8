internal import Glibc

/// The live clock of the records.
public enum SystemTime {
    /// Milliseconds since 1970 on the host's clock.
    @Sendable
    public static func unixMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
