import Testing

@testable import Logging

@Suite("Timestamp")
struct TimestampTests {
    // Each checked with `date -u -d @SECONDS`.
    @Test(
        "is RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_784_291_696_789, "2026-07-17T12:34:56.789Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (951_782_400_001, "2000-02-29T00:00:00.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_000, "9999-12-31T23:59:59.000Z"),
        ]
    )
    func format(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp.rfc3339(unixMilliseconds: milliseconds) == text)
    }

    @Test("takes any number", arguments: [Int64.min, .max])
    func extremes(_ milliseconds: Int64) {
        #expect(Timestamp.rfc3339(unixMilliseconds: milliseconds).hasSuffix("Z"))
    }

    @Test("the live clock counts from 1970 in milliseconds")
    func live() {
        #expect((1_700_000_000_000...4_102_444_800_000).contains(SystemTime.unixMilliseconds()))
    }
}
