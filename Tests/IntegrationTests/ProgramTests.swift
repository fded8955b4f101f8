import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The daemon as a program", .blocking)
struct ProgramTests {
    private func run(_ arguments: String...) throws -> (ending: Int32, output: String, errors: String) {
        let process = try RunningProcess("tokenbrokerd", arguments)
        let ending = try process.waitForEnd()
        return (ending, process.output.text, process.errors.text)
    }

    @Test("--help and --version answer on standard output", arguments: ["--help", "--version"])
    func information(_ option: String) throws {
        let result = try run(option)
        #expect(result.ending == 0)
        #expect(result.output.contains("tokenbrokerd"))
        #expect(result.errors == "")
        for program in ["tokenbroker", "tokenbroker-simulator"] {
            let process = try RunningProcess(program, [option])
            #expect(try process.waitForEnd() == 0)
            #expect(process.output.text.contains(program))
        }
    }

    @Test("its manual page has the options and the exit statuses of --help, in that order")
    func manual() throws {
        let help = try run("--help").output.split(separator: "\n")
        let options = try help.filter { $0.hasPrefix("  --") }.map { line in
            let text = line.dropFirst(2)
            return String(text[..<(try #require(text.firstRange(of: "  "))).lowerBound])
        }
        let statuses = try #require(help.last { $0.hasPrefix("Exit status: ") }).split { $0 == " " }
        let page = try Document("man/tokenbrokerd.8")
        #expect(page.items(below: "DESCRIPTION") == options)
        #expect(page.items(below: "EXIT STATUS") == statuses.filter { Int32($0) != nil }.map(String.init))
        #expect(options.count == 4)
    }

    @Test("arguments that make no sense end with 64", arguments: [["--nonsense"], ["extra"], ["--config"]])
    func usage(_ arguments: [String]) throws {
        let process = try RunningProcess("tokenbrokerd", arguments)
        #expect(try process.waitForEnd() == 64)
        #expect(process.output.text == "")
        #expect(process.errors.text.hasPrefix("tokenbrokerd: "))
    }

    @Test("--check says that a configuration is valid, and starts nothing")
    func checkValid() throws {
        let scratch = try Scratch()
        let settings = try Settings(scratch, SimulatorProcess(scratch))
        let path = try scratch.write("tokenbroker.yaml", settings.text)
        let result = try run("--check", "--config", path)
        #expect(result.ending == 0)
        #expect(result.output.contains("valid"))
        #expect(result.errors == "")
        #expect(Files.status(scratch.path("run")) == nil)
    }

    @Test("--check names file, line and column of each fault, and ends with 78; so does a start")
    func checkInvalid() throws {
        let scratch = try Scratch()
        let path = try scratch.write(
            "tokenbroker.yaml",
            "log: { level: info }\nlisten:\n  aps: /run/x.sock\nnonsense: 1\n"
        )
        let result = try run("--check", "--config=\(path)")
        #expect(result.ending == 78)
        #expect(result.output == "")
        #expect(result.errors.contains("\(path):3:3: "))
        #expect(result.errors.contains("apps"))
        #expect(result.errors.contains("\(path):4:1: "))
        let start = try run("--config", path)
        #expect(start.ending == 78)
        #expect(start.errors.contains("\(path):3:3: "))
        #expect(start.errors.contains("\(path):4:1: "))
    }

    @Test("a configuration that is missing or that others could write ends with 78")
    func untrustworthyFile() throws {
        let scratch = try Scratch()
        let missing = try run("--config", scratch.path("missing.yaml"))
        #expect(missing.ending == 78)
        #expect(missing.errors.contains(scratch.path("missing.yaml")))
        let path = try scratch.write("tokenbroker.yaml", Settings(scratch).text, mode: 0o666)
        let open = try run("--config", path)
        #expect(open.ending == 78)
        #expect(open.errors.contains("chmod go-w \(path)"))
    }

    @Test("a drop-in adds tokens")
    func dropIn() throws {
        let scratch = try Scratch()
        let simulator = try SimulatorProcess(scratch)
        let settings = try Settings(scratch, simulator)
        var addition = Settings(scratch)
        addition.addToken("added")
        try scratch.makeDirectory("conf.d")
        let tokens = addition.text[try #require(addition.text.firstRange(of: "tokens:")).lowerBound...]
        try scratch.write("conf.d/10-added.yaml", String(tokens))
        try scratch.write("conf.d/ignored.yaml.orig", "nonsense: 1")
        let broker = try BrokerProcess(scratch, settings.text)
        #expect(try broker.fetch("added").status == 200)
        #expect(try broker.fetch("web").status == 200)
    }

    @Test("a configuration may be JSON, which is YAML too")
    func json() throws {
        let scratch = try Scratch()
        let simulator = try SimulatorProcess(scratch)
        try scratch.write("secret", SimulatorProcess.secretKey)
        let document: JSONValue = [
            "listen": [
                "apps": .string(scratch.path("run/apps.sock")), "admin": .string(scratch.path("admin/admin.sock")),
            ],
            "operators": [["group": .number(JSONNumber(Int64(getegid())))]],
            "secrets": ["key": ["file": .string(scratch.path("secret"))]],
            "providers": [
                "autocomplete": ["kind": "ai-autocomplete", "base_url": .string(simulator.baseURL), "secret": "key"]
            ],
            "tokens": [
                "web": [
                    "provider": "autocomplete", "product_id": .string(SimulatorProcess.product),
                    "allow": [["user": .number(JSONNumber(Int64(geteuid())))]],
                ]
            ],
        ]
        let broker = try BrokerProcess(scratch, String(decoding: document.serialized(pretty: true), as: UTF8.self))
        #expect(try broker.fetch("web").status == 200)
    }

    @Test("the command line fetches through the socket")
    func commandLine() throws {
        let site = try Site()
        let get = try RunningProcess("tokenbroker", ["get", "web", "--socket", site.broker.appsSocket])
        #expect(try get.waitForEnd() == 0)
        let token = try #require(try site.broker.fetch("web").text("access_token"))
        #expect(get.output.text == token + "\n")
        let missing = try RunningProcess(
            "tokenbroker",
            ["get", "missing"],
            environment: ["TOKENBROKER_SOCKET=\(site.broker.appsSocket)"]
        )
        #expect(try missing.waitForEnd() == 1)
        #expect(missing.errors.text.contains("unknown_token"))
        let status = try RunningProcess("tokenbroker", ["status", "--socket", site.broker.adminSocket])
        #expect(try status.waitForEnd() == 0)
        #expect(status.output.text.contains("web"))
        let nobody = try RunningProcess("tokenbroker", ["get", "web", "--socket", site.scratch.path("none.sock")])
        #expect(try nobody.waitForEnd() == 69)
    }
}
