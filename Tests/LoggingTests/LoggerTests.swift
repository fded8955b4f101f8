import Synchronization
import Testing

@testable import Logging

@Suite("Logger")
struct LoggerTests {
    let output = MemoryLogOutput()

    func logger(_ level: LogLevel = .info) -> Logger {
        Logger(level: level, output: output, now: { 1_784_291_696_789 })
    }

    @Test("writes time, level, message and the facts in their order")
    func record() throws {
        logger().notice("Started", [.version: "1.0", .peerUID: 33, .outcome: true, .duration: .duration(.seconds(2))])
        let record = try #require(output.records.first)
        #expect(record.unixMilliseconds == 1_784_291_696_789)
        #expect(record.level == .notice)
        #expect(record.message == "Started")
        #expect(record.metadata.fields.map(\.key) == [.version, .peerUID, .outcome, .duration])
        #expect(
            output.text
                == "2026-07-17T12:34:56.789Z notice Started version=1.0 peer.uid=33 outcome=true duration_ms=2000\n"
        )
    }

    @Test("writes a level and the more important ones only", arguments: LogLevel.allCases)
    func levels(_ threshold: LogLevel) {
        let log = logger(threshold)
        log.error("Error")
        log.warning("Warning")
        log.notice("Notice")
        log.info("Info")
        log.debug("Debug")
        log.trace("Trace")
        #expect(output.records.map(\.level) == LogLevel.allCases.filter { $0 <= threshold })
        #expect(output.records.allSatisfy { $0.message.lowercased() == $0.level.rawValue })
    }

    @Test("does not build the facts of a level that is off")
    func lazily() {
        let built = Mutex(0)
        func facts() -> LogMetadata {
            built.withLock { $0 += 1 }
            return [:]
        }
        logger(.info).debug("Off", facts())
        #expect(built.withLock { $0 } == 0)
        logger(.debug).debug("On", facts())
        #expect(built.withLock { $0 } == 1)
    }

    @Test("a new level holds for whoever has the logger already")
    func reload() {
        let log = logger(.info)
        log.setLevel(.debug)
        log.debug("Seen")
        log.setLevel(.error)
        log.warning("Unseen")
        #expect(output.records.map(\.message) == ["Seen"])
    }

    @Test("redacts a secret before it reaches the output")
    func redaction() {
        logger().error("Refused", [.errorDetail: .string("key sk_v1_abcdef was refused"), .token: "web"])
        #expect(output.records.first?.metadata[.errorDetail] == .string("key <redacted> was refused"))
        #expect(output.records.first?.metadata[.token] == .string("web"))
        #expect(!output.text.contains("abcdef"))
    }

    @Test("redacts before it cuts, so that no part of a secret is left at the end")
    func redactionBeforeCut() {
        let padding = String(repeating: "x", count: LogLimits.valueBytes - 10)
        logger().error("Refused", [.errorDetail: .string("\(padding) eyJabcdefghijklmnop")])
        #expect(!output.text.contains("eyJ"))
    }

    @Test("cuts a long value at the limit")
    func limit() throws {
        logger().error("Refused", [.errorDetail: .string(String(repeating: "x", count: 100_000))])
        let value = try #require(output.records.first?.metadata[.errorDetail])
        #expect(value.text.utf8.count == LogLimits.valueBytes)
        #expect(value.text.hasSuffix("x…"))
    }
}
