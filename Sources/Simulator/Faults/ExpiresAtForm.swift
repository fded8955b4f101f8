internal import JSON

/// How a provider writes the instant at which a token ends.
enum ExpiresAtForm: String, CaseIterable {
    case seconds, milliseconds, string, float, missing, null, zero, past, rfc3339

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
        }
    }
}
