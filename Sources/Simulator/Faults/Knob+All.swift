extension Knob {
    /// Ten minutes: longer than any deadline of a client.
    private static let longestDelayMilliseconds: Int64 = 600_000
    /// Larger answers would only test this program's memory.
    private static let largestBody: Int64 = 256 * 1024 * 1024
    /// Some 300 years, in which the sum of any two of them stays far from overflow.
    static let longestSpanSeconds: Int64 = 10_000_000_000

    /// Every member of the behaviour document but `times`, which ``BehaviourSchedule`` takes.
    static let all = common + palbase + newAPI

    /// What every provider can be told, as far as it does such a thing.
    private static let common: [Knob] = [
        text("path", \.path, "only requests to this path below the provider's prefix are meant (default: all)"),
        integer("delay_ms", \.delayMilliseconds, 0...longestDelayMilliseconds, "waits before it handles a request"),
        flag("hang", \.hang, "takes requests and never answers"),
        integer(
            "close_after_bytes",
            \.closeAfterBytes,
            0...largestBody,
            "handles the request, sends so many bytes of the answer and drops the connection"
        ),
        integer(
            "status",
            \.status,
            200...599,
            "answers with this status; other than 2xx the request is not handled, and nothing minted"
        ),
        text("error", \.error, "refuses with this error of the provider's own; nothing is handled or minted"),
        text("body", \.body, "answers with this body"),
        word("body_form", \.bodyForm, "turns the answer's body into this"),
        integer("oversized_bytes", \.oversizedBytes, 0...largestBody, "the size of an oversized body (default: 8 MiB)"),
        header("content_type", \.contentType, "the answer's Content-Type"),
        header("retry_after", \.retryAfter, "adds Retry-After with this text"),
        header("location", \.location, "adds Location with this text"),
        integer(
            "lifetime_seconds",
            \.lifetimeSeconds,
            -longestSpanSeconds...longestSpanSeconds,
            "how long what is minted lives"
        ),
        word("expires_at", \.expiresAtForm, "how the end of what is minted is written (past: a minute ago)"),
        flag("same_token", \.sameToken, "answers the last token again instead of minting another"),
        integer(
            "clock_skew_seconds",
            \.clockSkewSeconds,
            -longestSpanSeconds / 10...longestSpanSeconds / 10,
            "how far the provider's clock is ahead: in Date, in expiries and in what is still live"
        ),
        integer(
            "unknown_product_status",
            \.unknownProductStatus,
            400...599,
            "answers a product that does not exist with this status (default: 404)"
        ),
    ]
}
