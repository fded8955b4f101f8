/// Times as people read them: how far off, not when.
enum RelativeTime {
    /// `in 52m`, `now`, `3h20m ago`.
    static func text(secondsFromNow seconds: Int64) -> String {
        if seconds == 0 { return "now" }
        let length = length(seconds.magnitude)
        return seconds > 0 ? "in \(length)" : "\(length) ago"
    }

    static func text(_ time: Int64, now: Int64) -> String {
        let (difference, overflows) = time.subtractingReportingOverflow(now)
        return text(secondsFromNow: overflows ? (time < now ? .min : .max) : difference)
    }

    /// The two largest units, rounded down; seconds only below a minute.
    static func length(_ seconds: UInt64) -> String {
        switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m"
        case ..<86400: pair(seconds / 3600, "h", seconds % 3600 / 60, "m")
        default: pair(seconds / 86400, "d", seconds % 86400 / 3600, "h")
        }
    }

    private static func pair(_ large: UInt64, _ largeUnit: String, _ small: UInt64, _ smallUnit: String) -> String {
        "\(large)\(largeUnit)" + (small > 0 ? "\(small)\(smallUnit)" : "")
    }
}
