import Testing

@testable import Logging

@Suite("Journal fields")
struct JournalFieldsTests {
    func fields(_ level: LogLevel, _ metadata: LogMetadata) -> [String] {
        let record = LogRecord(unixMilliseconds: 0, level: level, message: "Refused", metadata: metadata)
        return JournalFields.encode(record, identifier: "tokenbrokerd").map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("hold message, priority, identifier and each fact under a name of our own")
    func encode() {
        #expect(
            fields(.warning, [.token: "web", .errorCode: "transient", .peerUID: 33])
                == [
                    "MESSAGE=Refused token=web error.code=transient peer.uid=33", "PRIORITY=4",
                    "SYSLOG_IDENTIFIER=tokenbrokerd", "TOKENBROKER_TOKEN=web", "TOKENBROKER_ERROR_CODE=transient",
                    "TOKENBROKER_PEER_UID=33",
                ]
        )
    }

    @Test("keep a value as it is, line feeds included, while the message stays one line")
    func hostile() {
        let fields = fields(.error, [.errorDetail: "a\nMESSAGE=forged"])
        #expect(fields.first == #"MESSAGE=Refused error.detail="a\nMESSAGE=forged""#)
        #expect(fields.last == "TOKENBROKER_ERROR_DETAIL=a\nMESSAGE=forged")
    }

    @Test("carry the syslog severity", arguments: zip(LogLevel.allCases, [3, 4, 5, 6, 7, 7]))
    func priority(_ level: LogLevel, _ priority: Int) {
        #expect(fields(level, [:])[1] == "PRIORITY=\(priority)")
    }

    @Test("have names the journal accepts", arguments: LogKey.allCases)
    func names(_ key: LogKey) throws {
        var metadata: LogMetadata = [:]
        metadata[key] = 1
        let name = try #require(fields(.info, metadata).last?.split(separator: "=").first)
        #expect(name.utf8.count <= 64)
        #expect(name.utf8.allSatisfy { "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8.contains($0) })
    }
}
