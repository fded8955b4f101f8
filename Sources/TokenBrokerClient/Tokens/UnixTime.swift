/// An instant on the host's clock, in milliseconds since 1970.
///
/// A type, because providers' SDKs differ in the unit they want: take ``milliseconds`` or ``seconds``, and the unit is in
/// the name.
public struct UnixTime: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// - Returns: nil where so many seconds are more milliseconds than can be counted.
    public init?(seconds: Int64) {
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return nil }
        self.milliseconds = milliseconds
    }

    public static func < (left: UnixTime, right: UnixTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
