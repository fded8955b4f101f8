import Glibc
import Testing

@testable import Logging

@Suite("Log destination")
struct LogDestinationTests {
    @Test("is the journal only when the stream named is the descriptor's own")
    func match() throws {
        var file = stat()
        try #require(fstat(STDERR_FILENO, &file) == 0)
        func leads(_ stream: String) -> Bool {
            LogDestination.leadsToJournal(descriptor: STDERR_FILENO, environment: ["JOURNAL_STREAM": stream])
        }
        #expect(leads("\(file.st_dev):\(file.st_ino)"))
        #expect(!leads("\(file.st_dev):\(file.st_ino &+ 1)"))
        #expect(!leads("\(file.st_dev &+ 1):\(file.st_ino)"))
        #expect(!leads(""))
        #expect(!LogDestination.leadsToJournal(descriptor: STDERR_FILENO, environment: [:]))
        #expect(!LogDestination.leadsToJournal(descriptor: 1_000_000, environment: ["JOURNAL_STREAM": "0:0"]))
    }

    @Test("is standard error outside systemd")
    func fallback() {
        #expect(LogDestination.output(environment: [:], identifier: "tokenbrokerd") is StandardErrorOutput)
    }
}
