import Testing

@testable import TokenBroker

@Suite("Dates as text")
struct CalendarDatesTests {
    @Test(
        "RFC 3339 is read with its fraction and offset",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-07-17T12:34:56Z", 1_784_291_696_000),
            ("2026-07-17T12:34:56.5Z", 1_784_291_696_500), ("2026-07-17T12:34:56.123999Z", 1_784_291_696_123),
            ("2026-07-17T18:04:56+05:30", 1_784_291_696_000), ("2026-07-17t10:34:56-02:00", 1_784_291_696_000),
            ("2000-02-29T23:59:59Z", 951_868_799_000), ("1969-12-31T23:59:59Z", -1000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ]
    )
    func rfc3339(_ text: String, _ milliseconds: Int64) {
        #expect(WallInstant(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(
        "what is no RFC 3339 date is refused",
        arguments: [
            "", "2026-07-17", "2026-07-17T12:34:56", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-07-17T24:00:00Z", "2026-07-17T12:60:00Z", "2026-07-17T12:34:56.Z", "2026-07-17T12:34:56Z ",
            "2026-07-17T12:34:56+0530", "26-07-17T12:34:56Z", "2026-07-17T12:34:61Z", "2026-00-10T00:00:00Z",
        ]
    )
    func notRFC3339(_ text: String) {
        #expect(WallInstant(rfc3339: text) == nil)
    }

    @Test(
        "the three HTTP dates mean the same instant",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    )
    func httpDates(_ text: String) {
        #expect(WallInstant(httpDate: text, reference: Harness.start.wall)?.milliseconds == 784_111_777_000)
    }

    @Test(
        "what is no HTTP date is refused",
        arguments: [
            "", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 2026 00:00:00 GMT",
        ]
    )
    func notHTTPDates(_ text: String) {
        #expect(WallInstant(httpDate: text, reference: Harness.start.wall) == nil)
    }

    @Test("an instant is written as whole seconds of UTC and reads back the same")
    func roundTrip() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            let text = WallInstant(milliseconds: seconds * 1000).rfc3339
            #expect(WallInstant(rfc3339: text)?.unixSeconds == seconds, "\(text)")
        }
        #expect(WallInstant(milliseconds: 1_784_291_696_999).rfc3339 == "2026-07-17T12:34:56Z")
    }
}
