/// A fact in a record.
///
/// A literal becomes a value by itself; anything computed has to be converted by name (`.string(name)`), and there is
/// no string interpolation, so that nothing reaches a log by its `description` alone.
public enum LogValue: Sendable, Equatable {
    case string(String)
    case integer(Int64)
    case boolean(Bool)
    /// Written as whole milliseconds.
    case duration(Duration)

    /// A whole number of any width; what does not fit is shown as the nearest number that does.
    public init(_ number: some BinaryInteger) {
        self = .integer(Int64(clamping: number))
    }

    /// The value as text, unescaped.
    public var text: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .duration(let duration): String(duration.saturatedMilliseconds)
        }
    }
}

extension LogValue: ExpressibleByStringLiteral {
    /// `StaticString`, because a `String` here would accept interpolations.
    public init(stringLiteral value: StaticString) {
        self = .string(value.description)
    }
}

extension LogValue: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension LogValue: ExpressibleByBooleanLiteral {
    public init(booleanLiteral value: Bool) {
        self = .boolean(value)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero; a `Duration` holds more of them than an `Int64`.
    fileprivate var saturatedMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }
}
