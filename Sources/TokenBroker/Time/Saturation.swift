// Lifetimes and dates come from outside, and an overflow would trap: every sum of theirs stops at the end of its range.

extension Int64 {
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    func multipliedSaturated(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// The quotient rounded towards minus infinity, as a clock's whole units are.
    func flooredDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    private static let attosecondsPerNanosecond: Int64 = 1_000_000_000

    /// Whole nanoseconds, saturated: about 292 years at most.
    public var saturatedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedSaturated(by: 1_000_000_000)
            .addingSaturated(attoseconds / Self.attosecondsPerNanosecond)
    }

    /// Whole milliseconds, rounded down and saturated.
    public var saturatedMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedSaturated(by: 1000)
            .addingSaturated(attoseconds.flooredDivision(by: Self.attosecondsPerNanosecond * 1_000_000))
    }

    /// Whole seconds, rounded down.
    public var wholeSeconds: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds < 0 ? seconds - 1 : seconds
    }

    /// Whole seconds, rounded up: what a caller has to wait so that the time has really passed.
    public var wholeSecondsRoundedUp: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds.addingSaturated(1) : seconds
    }

    /// This duration times `factor`, where `factor` is a fraction such as 0.75.
    func scaled(by factor: Double) -> Duration {
        let nanoseconds = Double(saturatedNanoseconds) * factor
        return .nanoseconds(Int64(exactly: nanoseconds.rounded(.down)) ?? .max)
    }
}
