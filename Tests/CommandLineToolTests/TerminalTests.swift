import Foundation
import Glibc
import TestSupport
import Testing

/// The built program on a pseudo-terminal, and on a pipe that closes.
@Suite("The program on a terminal", .blocking)
struct TerminalTests {
    private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("tokenbroker")

    /// A terminal whose keys and screen are in the hands of a test.
    private struct PseudoTerminal {
        // The macros of ioctl_tty(2) that make these, TIOCSPTLCK and TIOCGPTN, are not imported.
        private static let setLock: UInt = 0x4004_5431
        private static let getNumber: UInt = 0x8004_5430

        let keyboard: FileHandle
        let terminal: FileHandle

        init() throws {
            let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(descriptor >= 0)
            keyboard = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            var number: Int32 = 0
            try #require(ioctl(descriptor, Self.setLock, &number) == 0)
            try #require(ioctl(descriptor, Self.getNumber, &number) == 0)
            let path = "/dev/pts/\(number)"
            terminal = try #require(FileHandle(forUpdatingAtPath: path))
        }

        /// Whether typed keys are echoed and come in lines, as a shell leaves it.
        var isAsShellsWantIt: Bool {
            var settings = termios()
            tcgetattr(terminal.fileDescriptor, &settings)
            return settings.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG)
        }

        /// What is on the screen's line until `text` has come.
        func read(until text: String) -> String {
            var seen = ""
            while !seen.contains(text) {
                let data = keyboard.availableData
                guard !data.isEmpty else { break }
                seen += String(decoding: data, as: UTF8.self)
            }
            return seen
        }
    }

    @Test(
        "top draws on another screen and leaves the terminal as it was, whatever ends it",
        arguments: ["q", "\u{3}", "SIGINT", "SIGTERM"]
    )
    func top(end: String) throws {
        let status = ScriptedBroker.answer(200, #"{"version":"1","tokens":[{"name":"web","state":"ready"}]}"#)
        let broker = ScriptedBroker(Array(repeating: status, count: 3))
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["top", "--socket", broker.path]
        process.environment = ["TERM": "xterm"]
        process.standardInput = terminal.terminal
        process.standardOutput = terminal.terminal
        process.standardError = terminal.terminal
        try process.run()
        let screen = terminal.read(until: "web")
        #expect(screen.contains("\u{1B}[?1049h"))
        #expect(!terminal.isAsShellsWantIt)
        switch end {
        case "SIGINT": kill(process.processIdentifier, SIGINT)
        case "SIGTERM": kill(process.processIdentifier, SIGTERM)
        default: terminal.keyboard.write(Data(end.utf8))
        }
        #expect(terminal.read(until: "\u{1B}[?1049l").contains("\u{1B}[?25h"))
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        #expect(terminal.isAsShellsWantIt)
    }

    @Test(
        "a key that is typed is not shown, can be corrected, and the terminal is left as it was",
        arguments: [("sk_v1_oops\u{15}sk_v1_typpo\u{7F}\u{7F}ed\r", "sk_v1_typed"), ("\u{3}", nil), ("\r", nil)]
            as [(String, String?)]
    )
    func hiddenKey(typed: String, sent: String?) throws {
        let answer = #"{"name":"key","version":1,"state":"active","known":false,"versions":[]}"#
        let broker = ScriptedBroker([ScriptedBroker.answer(200, answer)])
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = ["secret", "stage", "key", "--socket", broker.path]
        process.environment = ["TERM": "xterm"]
        process.standardInput = terminal.terminal
        process.standardOutput = terminal.terminal
        process.standardError = terminal.terminal
        try process.run()
        var screen = terminal.read(until: "New value of key: ")
        terminal.keyboard.write(Data(typed.utf8))
        screen += terminal.read(until: sent == nil ? "tokenbroker: " : "in force")
        process.waitUntilExit()
        #expect(process.terminationStatus == (sent == nil ? 64 : 0))
        #expect(!screen.contains("sk_v1"))
        #expect(terminal.isAsShellsWantIt)
        #expect(broker.requests.count == (sent == nil ? 0 : 1))
        if let sent { #expect(broker.requests.first?.hasSuffix("\r\n\r\n" + sent) == true) }
    }

    @Test("watch prints as it comes, and ends quietly once nobody reads")
    func watch() throws {
        let broker = ScriptedBroker(
            [ScriptedBroker.token(7)] + Array(repeating: ScriptedBroker.answer(304), count: 200)
        )
        let process = Process()
        let (output, errors) = (Pipe.own(), Pipe.own())
        process.executableURL = Self.executable
        process.arguments = ["watch", "web", "--socket", broker.path]
        process.environment = [:]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line == "{\"access_token\":\"at_v1_7\",\"generation\":7}\n")
        try output.fileHandleForReading.close()
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
