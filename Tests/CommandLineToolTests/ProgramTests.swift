import Foundation
import TestSupport
import Testing

@testable import CommandLineTool

/// The built program itself, for what only a process can show.
@Suite("The program", .blocking)
struct ProgramTests {
    private struct Ending: Equatable {
        var status: Int32
        var output: String
    }

    /// It is built into the folder that the tests are in.
    private static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("tokenbroker")

    private func process(_ arguments: [String], _ environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { given, _ in given }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Ending {
        let process = process(arguments, environment)
        let pipe = Pipe.own()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Ending(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }

    @Test("exec gives the token to the program's environment, and ends as the program does")
    func exec() throws {
        let server = ScriptedServer(BrokerTests.token)
        let script = #"echo "$ACCESS_TOKEN $TOKENBROKER_SOCKET $1"; tr '\0' ' ' < /proc/$$/cmdline; exit 7"#
        let ending = try run(
            ["exec", "web", "--", "sh", "-c", script, "name", "--json"],
            ["TOKENBROKER_SOCKET": server.path]
        )
        #expect(ending.status == 7)
        #expect(ending.output.hasPrefix("at_v1_x \(server.path) --json\n"))
        #expect(!ending.output.dropFirst("at_v1_x".count).contains("at_v1_x"))
    }

    @Test(
        "exec says like a shell that there is no such program, or that it cannot be run",
        arguments: [("no-such-program", 127), ("/no/such", 127), ("/etc/passwd", 126), ("/etc", 126)]
            as [(String, Int32)]
    )
    func unrunnable(program: String, status: Int32) throws {
        let server = ScriptedServer(BrokerTests.token)
        let ending = try run(["exec", "web", "--socket", server.path, "--", program])
        #expect(ending == Ending(status: status, output: ""))
    }

    @Test("a check of a device reads standard input to its end, and ends with 1 for what is invalid")
    func standardInput() throws {
        let process = process(["device", "verify-assertion"], [:])
        let (input, output) = (Pipe.own(), Pipe.own())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // More than a pipe holds, so that one read does not take it all.
        let padding = String(repeating: " ", count: 200_000)
        try input.fileHandleForWriting.write(contentsOf: Data("{\(padding)\"x\":1}".utf8))
        try input.fileHandleForWriting.close()
        let verdict = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(verdict.contains("unknown member 'x'"))
        #expect(process.terminationStatus == 1)
    }

    @Test("a reader that has gone away is no error")
    func closedPipe() throws {
        let process = process(["help"], [:])
        let (output, errors) = (Pipe.own(), Pipe.own())
        process.standardOutput = output
        process.standardError = errors
        try output.fileHandleForReading.close()
        try process.run()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(complaint.isEmpty)
    }

    @Test("output that cannot be written is an error")
    func fullDisk() throws {
        let process = process(["help"], [:])
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == ExitStatus.outputFailed.rawValue)
    }
}
