internal import Glibc

/// The host's two clocks, in nanoseconds.
public enum SystemClock {
    /// Time since the host was booted, suspended time included (`CLOCK_BOOTTIME`): it never steps.
    public static func bootNanoseconds() -> Int64 {
        read(CLOCK_BOOTTIME)
    }

    /// Unix time (`CLOCK_REALTIME`): it may be set forwards or backwards at any moment.
    public static func wallNanoseconds() -> Int64 {
        read(CLOCK_REALTIME)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "Linux always has this clock")
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds, cut off towards zero and held inside what `Int64` can say (292 years either way).
    ///
    /// One division; taking the `components` apart first costs several, on every request.
    var saturatedNanoseconds: Int64 {
        Int64(clamping: attoseconds / 1_000_000_000)
    }
}
