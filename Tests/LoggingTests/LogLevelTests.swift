import Logging
import Testing

@Suite("Log level")
struct LogLevelTests {
    @Test("the words are the configuration's", arguments: ["error", "warning", "notice", "info", "debug", "trace"])
    func words(_ word: String) {
        #expect(LogLevel(rawValue: word) != nil)
    }

    @Test("a level is less than every more detailed one")
    func order() {
        #expect(LogLevel.allCases == LogLevel.allCases.sorted())
        #expect(LogLevel.error < .trace)
    }
}
