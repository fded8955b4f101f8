import Testing
import TokenBroker

@testable import Upstream

@Suite("Retry-After")
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    static let sent = WallInstant(milliseconds: 784_111_777_000)

    @Test(
        "reads seconds and fractions of them, rounded up",
        arguments: [
            ("0", 0), ("1", 1), ("30", 30), ("0.001", 1), ("1.0000000001", 2), ("1.000", 1),
            ("9999999999", 9_999_999_999),
        ] as [(String, Int64)]
    )
    func seconds(text: String, expected: Int64) {
        #expect(Duration(retryAfter: text, sentAt: Self.sent) == .seconds(expected))
    }

    @Test(
        "reads the three forms of a date, relative to when the answer was sent",
        arguments: ["Sun, 06 Nov 1994 08:50:07 GMT", "Sunday, 06-Nov-94 08:50:07 GMT", "Sun Nov  6 08:50:07 1994"]
    )
    func dates(text: String) {
        #expect(Duration(retryAfter: text, sentAt: Self.sent) == .seconds(30))
    }

    @Test("rounds the pause up to a date when the clock is between two seconds")
    func roundsDateUp() {
        let sent = Self.sent.advanced(by: .milliseconds(1))
        #expect(Duration(retryAfter: "Sun, 06 Nov 1994 08:50:07 GMT", sentAt: sent) == .seconds(30))
        #expect(Duration(retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", sentAt: Self.sent) == .zero)
    }

    @Test(
        "stops at the end of the range",
        arguments: ["9223372036854775808", "9223372036854775807.5", "99999999999999999999999999999999"]
    )
    func saturates(text: String) {
        #expect(Duration(retryAfter: text, sentAt: Self.sent) == .seconds(Int64.max))
    }

    @Test(
        "ignores what is negative, past or garbage",
        arguments: [
            "", "-1", "+1", "1e3", "1.", ".5", "1.2.3", "soon", "30s", "0x10", "１", "NaN",
            "Sun, 06 Nov 1994 08:49:36 GMT",
        ]
    )
    func ignores(text: String) {
        #expect(Duration(retryAfter: text, sentAt: Self.sent) == nil)
    }

    @Test("measures a date from the host's clock where the answer has no date")
    func withoutDate() {
        let response = UpstreamResponse(
            status: 503,
            headers: ["Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT"],
            requestedAt: Moment(boot: BootInstant(nanoseconds: 0), wall: Self.sent),
            receivedAt: Self.sent.advanced(by: .seconds(10))
        )
        #expect(response.retryAfter == .seconds(20))
    }
}
