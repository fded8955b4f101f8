internal import JSON

/// The order in which an operator wants to look at tokens.
enum StatusOrder {
    /// From what waits for somebody to what is well; a state of a newer broker's is not taken for a good one.
    private static let states = [
        "secret_rejected", "session_lost", "misconfigured", "waiting_for_secret", "rate_limited", "backing_off",
        "suspended", nil, "degraded", "minting", "idle", "ready",
    ]

    /// The status with its tokens by how bad they are, then by how often they failed, then by name.
    static func worstFirst(_ status: JSONValue) -> JSONValue {
        guard var document = status.object, let tokens = status["tokens"]?.array else { return status }
        document["tokens"] = .array(tokens.sorted { rank($0) < rank($1) })
        return .object(document)
    }

    private static func rank(_ token: JSONValue) -> (Int, Int64, String) {
        let state = token["state"]?.scalarText
        let place = states.firstIndex(of: state) ?? states.firstIndex(of: nil) ?? 0
        // Counted down, for more failures are worse; a count is never so low that this overflows.
        let failures = max(0, token["failures_in_a_row"]?.number?.int64 ?? 0)
        return (place, -failures, token["name"]?.scalarText ?? "")
    }
}
