import Testing

@testable import Logging

@Suite("Log line")
struct LineFormatTests {
    func line(_ value: String) -> String {
        LineFormat.line(
            LogRecord(unixMilliseconds: 0, level: .info, message: "Seen", metadata: [.path: .string(value)])
        )
    }

    @Test(
        "quotes what would be ambiguous",
        arguments: [
            ("/run/x.sock", "/run/x.sock"),
            ("", #""""#),
            ("a b", #""a b""#),
            ("a=b", #""a=b""#),
            (#"say "no""#, #""say \"no\"""#),
            (#"back\slash"#, #""back\\slash""#),
            ("größer", #""größer""#),
        ]
    )
    func quoting(_ value: String, _ written: String) {
        #expect(line(value) == "1970-01-01T00:00:00.000Z info Seen path=\(written)\n")
    }

    static let hostile = [
        "x\n1970-01-01T00:00:00.000Z error Forged",
        "x\r\nForged", "x\u{1B}[31mred", "x\u{9B}31mred", "x\u{7F}", "x\0y", "x\u{2028}y", "x\u{2029}y", "x\u{85}y",
        "x\u{202E}y", "x\u{200B}y", "x\u{FEFF}y", "x\u{E000}y", "x\u{E0041}y",
    ]

    @Test("is one line of printable text, whatever a value holds", arguments: hostile)
    func oneLine(_ value: String) {
        let line = line(value)
        let body = line.dropLast()
        #expect(line.last == "\n")
        #expect(body.unicodeScalars.allSatisfy { (" "..."~").contains($0) })
        #expect(body.hasPrefix("1970-01-01T00:00:00.000Z info Seen path=\"x\\"))
    }

    @Test("every ASCII control byte is escaped")
    func controlBytes() {
        for byte in (UInt8(0)..<0x20) + [0x7F] {
            #expect(!line(String(UnicodeScalar(byte))).dropLast().utf8.contains(byte))
        }
    }

    @Test("is never longer than a pipe takes at once, and still ends in a line feed")
    func lineLimit() {
        var facts: LogMetadata = [:]
        for key in LogKey.allCases { facts[key] = .string(String(repeating: "\n", count: LogLimits.valueBytes)) }
        let line = LineFormat.line(LogRecord(unixMilliseconds: 0, level: .info, message: "Seen", metadata: facts))
        #expect(line.utf8.count == LogLimits.lineBytes)
        #expect(line.hasSuffix("…\n"))
    }

    @Test("a cut never splits a code point", arguments: 4...12)
    func cut(_ limit: Int) {
        let cut = "äöü€😀äöü".cut(to: limit)
        #expect(cut.utf8.count <= limit)
        #expect(cut.hasSuffix("…"))
        #expect("äöü€😀äöü".hasPrefix(cut.dropLast()))
    }

    @Test("what fits is not cut")
    func noCut() {
        #expect("abc€".cut(to: 6) == "abc€")
    }
}
