import Logging
import Testing

@Suite("Log metadata")
struct LogMetadataTests {
    @Test("a key that is set again keeps its place and its last value")
    func replace() {
        var facts: LogMetadata = [.token: "a", .outcome: "minted", .token: "b"]
        facts[.outcome] = "refused"
        #expect(facts == [.token: "b", .outcome: "refused"])
    }

    @Test("a fact set to nil is gone")
    func remove() {
        var facts: LogMetadata = [.token: "a", .outcome: "minted"]
        facts[.token] = nil
        facts[.provider] = nil
        #expect(facts == [.outcome: "minted"])
    }

    @Test("numbers of any width become the nearest that fits")
    func numbers() {
        #expect(LogValue(UInt64.max) == .integer(.max))
        #expect(LogValue(UInt32(7)) == 7)
        #expect(LogValue(-1) == .integer(-1))
    }

    @Test(
        "durations are whole milliseconds and never overflow",
        arguments: [
            (Duration.milliseconds(1500), "1500"),
            (.microseconds(1999), "1"),
            (.milliseconds(-1500), "-1500"),
            (.seconds(Int64.max), "9223372036854775807"),
            (.seconds(Int64.min), "-9223372036854775808"),
        ]
    )
    func durations(_ duration: Duration, _ text: String) {
        #expect(LogValue.duration(duration).text == text)
    }

    @Test("keys are written once each and are lower-case words joined by dots and underscores")
    func keys() {
        let names = LogKey.allCases.map(\.rawValue)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.allSatisfy { byte in "abcdefghijklmnopqrstuvwxyz._".utf8.contains(byte) } })
    }
}
