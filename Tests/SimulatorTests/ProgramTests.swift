import TestSupport
import Testing

@testable import Simulator

@Suite("The program", .blocking)
struct ProgramTests {
    @Test("takes its options, each value behind a blank or an equals sign")
    func options() throws {
        var options = SimulatorOptions()
        options.httpPort = 8080
        options.httpsPort = 8443
        options.keys = ["sk_v1_test_a", "pk_v1_test_b"]
        options.products = [Client.product]
        options.lifetimeSeconds = 60
        let command = try SimulatorCommand(parsing: [
            "--http-port", "8080", "--https-port=8443", "--secret-key", "sk_v1_test_a", "--secret-key=pk_v1_test_b",
            "--product", Client.product, "--lifetime", "60", "--ca-file", "/tmp/a=b", "--ready-file=/tmp/c=d",
        ])
        let files = SimulatorCommand.Files(authority: "/tmp/a=b", ready: "/tmp/c=d")
        #expect(command == .run(options, files))
    }

    @Test("has a key that works where none is given")
    func demoKey() throws {
        #expect(try SimulatorCommand(parsing: []) == .run(SimulatorOptions(), SimulatorCommand.Files()))
        #expect(SimulatorOptions().keys == [SimulatorOptions.demoSecretKey])
    }

    @Test(
        "refuses what it does not understand, with status 64",
        arguments: [
            ["--nonsense"], ["extra"], ["--http-port"], ["--http-port", "65536"], ["--http-port", "-1"],
            ["--https-port="], ["--lifetime", "1h"], ["--secret-key", "key"], ["--product", "product"],
        ]
    )
    func usage(_ arguments: [String]) {
        #expect(throws: SimulatorError.self) { try SimulatorCommand(parsing: arguments) }
        #expect(SimulatorProgram.run(arguments) == 64)
    }

    @Test("does not repeat a key in an error")
    func noKeyInErrors() {
        #expect {
            try SimulatorCommand(parsing: ["--secret-key", "at_v1_precious"])
        } throws: {
            !"\($0)".contains("precious")
        }
    }

    @Test("the help text names every member of a behaviour")
    func help() throws {
        for knob in Knob.all { #expect(HelpText.text.contains("  \(knob.name) (")) }
        #expect(HelpText.text.contains("  times ("))
        #expect(try SimulatorCommand(parsing: ["--http-port", "1", "--help"]) == .help)
        #expect(try SimulatorCommand(parsing: ["--version"]) == .version)
    }

    @Test("a port that is taken is an error that names it")
    func portTaken() throws {
        let first = try Simulator()
        defer { first.stop() }
        var options = SimulatorOptions()
        options.httpPort = first.httpPort
        #expect {
            try Simulator(options)
        } throws: {
            "\($0)".contains("127.0.0.1:\(first.httpPort): bind")
        }
    }

    @Test("writes dates as HTTP and RFC 3339 do")
    func dates() {
        // The example of RFC 9110 section 5.6.7.
        #expect(CalendarText.http(unixMilliseconds: 784_111_777_999) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(CalendarText.rfc3339(unixMilliseconds: 784_111_777_000) == "1994-11-06T08:49:37Z")
        #expect(CalendarText.sqlite(unixMilliseconds: 784_111_777_000) == "1994-11-06 08:49:37")
    }
}
