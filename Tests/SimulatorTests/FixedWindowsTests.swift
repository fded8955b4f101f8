import Testing

@testable import Simulator

@Suite("Fixed windows")
struct FixedWindowsTests {
    /// The beginning of a minute of the epoch.
    private static let minute: Int64 = 1_790_000_040_000

    @Test("lets so many pass in a minute, and the next ones at its turn")
    func turn() {
        var windows = FixedWindows()
        for left in [1, 0] as [Int64] {
            let usage = windows.admit("a", limit: 2, nowMilliseconds: Self.minute + 59_999)
            #expect(usage.isAdmitted && usage.remaining == left)
        }
        let refused = windows.admit("a", limit: 2, nowMilliseconds: Self.minute + 59_999)
        #expect(!refused.isAdmitted)
        #expect(refused.retryAfterSeconds == 1)
        #expect(refused.resetsAtMilliseconds == Self.minute + 60_000)
        #expect(windows.admit("a", limit: 2, nowMilliseconds: Self.minute + 60_000).isAdmitted)
    }

    @Test(
        "rounds the seconds to the window's end up",
        arguments: [(0, 60), (1, 60), (10_000, 50), (10_001, 50), (59_001, 1)] as [(Int64, Int64)]
    )
    func retryAfter(_ milliseconds: Int64, _ seconds: Int64) {
        var windows = FixedWindows()
        let usage = windows.admit("a", limit: 0, nowMilliseconds: Self.minute + milliseconds)
        #expect(usage.retryAfterSeconds == seconds)
    }

    @Test("counts each kind by itself, and does not count what it refuses")
    func kinds() {
        var windows = FixedWindows()
        #expect(windows.admit("a", limit: 1, nowMilliseconds: Self.minute).isAdmitted)
        #expect(!windows.admit("a", limit: 1, nowMilliseconds: Self.minute).isAdmitted)
        #expect(windows.admit("b", limit: 1, nowMilliseconds: Self.minute).isAdmitted)
        #expect(windows.admit("a", limit: 2, nowMilliseconds: Self.minute).isAdmitted)
    }
}
