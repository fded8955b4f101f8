import Testing

@testable import TokenBroker

@Suite("Lifetimes and their units")
struct LifetimeTests {
    static let requested = Harness.start

    private func lifetime(_ expiry: StatedExpiry, after age: Duration = .zero, date: WallInstant? = nil) -> Lifetime? {
        let mint = Mint(text: token("t"), expiry: expiry, requestedAt: Self.requested, providerDate: date)
        return Lifetime(
            of: mint,
            default: .seconds(300),
            maximum: .seconds(30 * 86400),
            arrivedAt: Self.requested.advanced(by: age)
        )
    }

    @Test("an absolute end counts from the request, on the provider's clock where it is known")
    func absolute() {
        let end = Self.requested.wall.advanced(by: .seconds(600))
        #expect(lifetime(.at(end))?.duration == .seconds(600))
        let providerNow = Self.requested.wall.advanced(by: .seconds(-3600))
        #expect(lifetime(.at(end), date: providerNow)?.duration == .seconds(4200))
    }

    @Test("a token lives for whole milliseconds, so that both clocks tell its last second alike")
    func wholeMilliseconds() {
        #expect(lifetime(.after(.microseconds(1_500_900)))?.duration == .milliseconds(1500))
        #expect(lifetime(.after(.microseconds(1_500_900)))?.remark == nil)
        let end = Self.requested.boot.advanced(by: .microseconds(1_200_900))
        let whole = lifetime(.after(.seconds(60)))
        let cut = whole?.ending(by: end, requestedAt: Self.requested, arrivedAt: Self.requested)
        #expect(cut?.duration == .milliseconds(1200))
    }

    @Test("what it was minted from had ended when the answer came, and it is no token")
    func endedOnTheWay() {
        let end = Self.requested.boot.advanced(by: .seconds(5))
        let late = Self.requested.advanced(by: .seconds(4.5))
        #expect(lifetime(.after(.seconds(60)))?.ending(by: end, requestedAt: Self.requested, arrivedAt: late) == nil)
    }

    @Test("a slow answer shortens what is left")
    func slowAnswer() {
        #expect(lifetime(.after(.seconds(10)), after: .seconds(8)) != nil)
        #expect(lifetime(.after(.seconds(10)), after: .seconds(9.5)) == nil)
    }

    @Test(
        "what has ended on arrival is not a token",
        arguments: [Duration.zero, .seconds(-1), .milliseconds(999), .seconds(-9_000_000_000)]
    )
    func dead(_ duration: Duration) {
        #expect(lifetime(.after(duration)) == nil)
        #expect(lifetime(.at(Self.requested.wall.advanced(by: duration))) == nil)
    }

    @Test("no end named takes the default, an absurd one the maximum, and both are remarked")
    func defaults() {
        #expect(lifetime(.unstated)?.duration == .seconds(300))
        #expect(lifetime(.unstated)?.remark == .unstated)
        let absurd = lifetime(.at(WallInstant(milliseconds: .max)))
        #expect(absurd?.duration == .seconds(30 * 86400))
        #expect(absurd?.remark == .capped)
        #expect(lifetime(.after(.seconds(Int64.max)))?.duration == .seconds(30 * 86400))
    }

    @Test(
        "Unix seconds are read in every form a number is written in",
        arguments: [
            ("1775464738", 1_775_464_738_000), ("1775464738.0", 1_775_464_738_000),
            ("1.775464738e9", 1_775_464_738_000), ("1775464738.5", 1_775_464_738_500),
            ("17754647385E-1", 1_775_464_738_500), ("0", 0), ("-1", -1000), ("-0.0001", -1), ("0.0001", 0),
            ("9223372036854775808", Int64.max), ("1e400", Int64.max), ("-1e400", Int64.min),
            ("1e99999999999999999999", Int64.max), ("1e-99999999999999999999", 0), ("0e99999999999999999999", 0),
        ]
    )
    func unixSeconds(_ text: String, _ milliseconds: Int64) {
        #expect(WallInstant(unixSeconds: text)?.milliseconds == milliseconds)
    }

    @Test(
        "what is not a number is none",
        arguments: ["", "-", ".", "1.", ".5", "NaN", "inf", "1e", "0x10", "1 ", "1_0", "١"]
    )
    func notNumbers(_ text: String) {
        #expect(WallInstant(unixSeconds: text) == nil)
        #expect(Duration(seconds: text) == nil)
    }

    @Test("milliseconds and relative seconds keep their own unit")
    func otherUnits() {
        #expect(WallInstant(unixMilliseconds: "1775464738123")?.milliseconds == 1_775_464_738_123)
        #expect(Duration(seconds: "3600.5") == .milliseconds(3_600_500))
        #expect(Duration(seconds: "3.6e3") == .seconds(3600))
    }
}
