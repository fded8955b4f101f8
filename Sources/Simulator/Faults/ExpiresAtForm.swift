internal import JSON

/// How a provider writes the instant at which a token ends.
enum ExpiresAtForm: String, CaseIterable {
    case seconds, milliseconds, string, float, missing, null, zero, past, rfc3339
    /// Unix seconds, or seconds from now, whichever of the two the provider has.
    case absolute, relative

    /// The member's value; nil where the member is left out.
    func json(unixMilliseconds expiry: Int64, now: Int64) -> JSONValue? {
        let seconds = JSONNumber(expiry / 1000)
        switch self {
        case .seconds: return .number(seconds)
        case .milliseconds: return .number(JSONNumber(expiry))
        case .string: return .string(seconds.literal)
        case .float: return JSONNumber(literal: seconds.literal + ".5").map(JSONValue.number)
        case .missing: return nil
        case .null: return .null
        case .zero: return 0
        case .past: return .number(JSONNumber(now / 1000 - 60))
        case .rfc3339: return .string(CalendarText.rfc3339(unixMilliseconds: expiry))
        case .absolute: return .number(seconds)
        case .relative: return .number(JSONNumber((expiry - now / 1000 * 1000) / 1000))
        }
    }

    /// The member's value where it counts from now on, as `expires_in` does; nil where the member is left out.
    func relativeJSON(unixMilliseconds expiry: Int64, now: Int64) -> JSONValue? {
        self == .rfc3339 || self == .absolute
            ? json(unixMilliseconds: expiry, now: now)
            : json(unixMilliseconds: expiry - now / 1000 * 1000, now: 0)
    }
}
