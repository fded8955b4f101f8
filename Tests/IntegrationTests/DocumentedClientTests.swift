import Glibc
import TestSupport
import Testing

/// The listings of the page about clients, each run as it stands there but for the broker's and the provider's address.
@Suite("The page about clients", .blocking)
struct DocumentedClientTests {
    private static let documentedSocket = "/run/tokenbroker/apps.sock"
    private static let token = "autocomplete-web"

    private let page: Document
    private let scratch: Scratch
    private let simulator: SimulatorProcess
    private let settings: Settings
    private let broker: BrokerProcess

    init() throws {
        page = try Document("clients.md")
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        // The containers' user is another one.
        settings = try Settings(scratch, simulator, token: Self.token, allow: "{ user: \(geteuid()) }, { user: 10001 }")
        broker = try BrokerProcess(scratch, settings.text)
    }

    private var substitutions: [(String, String)] {
        [(Self.documentedSocket, broker.appsSocket), ("https://api.ai-autocomplete.com", simulator.baseURL)]
    }

    private func substituted(_ text: String) -> String {
        substitutions.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    private func expect(_ output: String, below heading: String) {
        let documented = page.blocks("text", below: heading).map(\.text).joined()
        #expect(!documented.isEmpty)
        #expect(DocumentedOutput(text: documented).matches(output), "\(heading) printed:\n\(output)")
    }

    @Test("every block has a language that some test here runs")
    func languages() {
        let run: Set<String> = ["sh", "python", "js", "go", "yaml", "bash", "console", "text"]
        #expect(Set(page.blocks.map(\.language)) == run)
    }

    @Test("the shell's commands print what it says", .with(.curl))
    func shell() throws {
        let commands = page.blocks("sh", below: "Shell").map(\.text)
        let session = try ShellSession(
            commands,
            in: scratch,
            substitutions: substitutions,
            environment: ["TOKENBROKER_SOCKET=\(broker.appsSocket)"]
        )
        expect(session.outputs.joined(), below: "Shell")
    }

    @Test("the Python listing runs", .with(.python))
    func python() throws {
        expect(try run(.python, "python", below: "Python", as: "client.py"), below: "Python")
    }

    @Test("the Node listing runs", .with(.node))
    func node() throws {
        expect(try run(.node, "js", below: "Node", as: "client.js"), below: "Node")
    }

    @Test("the Go listing runs", .with(.go))
    func go() throws {
        let listing = try page.block("go", below: "Go")
        let path = try scratch.write("client.go", substituted(listing))
        let process = try RunningProcess(
            Installed.go.rawValue,
            ["run", path],
            environment: ["GOCACHE=\(scratch.path("go"))", "HOME=\(scratch.path)"]
        )
        guard try process.waitForEnd(patience: .seconds(240)) == 0 else { throw HarnessError(process.errors.text) }
        expect(process.output.text, below: "Go")
    }

    private func run(
        _ program: Installed,
        _ language: String,
        below heading: String,
        as name: String
    ) throws -> String {
        try program.run([scratch.write(name, substituted(page.block(language, below: heading)))])
    }

    @Test("the CI job's command runs with the token in its environment")
    func ciJob() throws {
        let heading = "In a CI job"
        let job = try page.block("yaml", below: heading)
        let commands = job.split(separator: "\n").filter { $0.hasPrefix("    - ") }.map { $0.dropFirst(6) + "\n" }
        #expect(!commands.isEmpty)
        try scratch.write("evaluate", page.block("bash", below: heading), mode: 0o700)
        let session = try ShellSession(
            commands.map { String($0) },
            in: scratch,
            environment: ["TOKENBROKER_SOCKET=\(broker.appsSocket)"]
        )
        expect(session.outputs.joined(), below: heading)
    }

    @Test(
        "a container with the apps directory alone gets its token, and again after the broker was started anew",
        .enabled(if: Container.obstacle == nil, Container.obstacle)
    )
    func container() throws {
        let command = try Container.Command(documented: page.block("console", below: "In a container"))
        #expect(command.mounts == [Container.Mount(source: "/run/tokenbroker", target: "/run/tokenbroker")])
        let mount = Container.Mount(source: scratch.path("run"), target: command.mounts[0].target)
        let container = try Container(scratch, mounts: [mount], user: command.user)
        let first = try container.run(command.words)
        #expect(first.contains("\"access_token\":\"at_v1_"))
        #expect(try container.run(["ls", "-A", "/run/tokenbroker"]) == "apps.sock\napps.sock.lock\n")
        #expect(try container.run(["ls", "-A", "/run"]) == "tokenbroker\n")
        broker.process.send(SIGTERM)
        #expect(try broker.process.waitForEnd() == 0)
        let next = try BrokerProcess(scratch, settings.text)
        #expect(try container.run(command.words).contains("\"access_token\":\"at_v1_"))
        _ = next
    }
}
