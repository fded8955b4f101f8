internal import TokenBroker

extension Duration {
    /// Reads a `Retry-After` value (RFC 9110, 10.2.3): seconds, which some providers write with a fraction, or a date.
    ///
    /// Rounded up to whole seconds, so that the pause has passed for the provider too; a value beyond the range saturates.
    ///
    /// - Parameter sentAt: when the answer was sent, on the clock that a date in it is told by.
    /// - Returns: nil for a date that has passed and for what is neither.
    init?(retryAfter text: String, sentAt: WallInstant) {
        if let seconds = Self.wholeSecondsRoundedUp(text) {
            self = .seconds(seconds)
        } else if let date = WallInstant(httpDate: text, reference: sentAt), date >= sentAt {
            self = .seconds(date.since(sentAt).wholeSecondsRoundedUp)
        } else {
            return nil
        }
    }

    private static func wholeSecondsRoundedUp(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }) else { return nil }
        // Only digits, so that what does not convert is too large.
        guard let whole = Int64(parts[0]) else { return .max }
        let hasFraction = parts.count == 2 && parts[1].utf8.contains { $0 != UInt8(ascii: "0") }
        return hasFraction && whole < .max ? whole + 1 : whole
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
