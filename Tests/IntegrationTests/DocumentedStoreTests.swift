import Glibc
import TestSupport
import Testing

/// What the page about operating says of stores and hosts, each command run as it stands there but for the paths.
@Suite("The page about operating, on stores", .blocking)
struct DocumentedStoreTests {
    private static let token = "autocomplete-web"

    private let page: Document
    private let scratch: Scratch
    private let simulator: SimulatorProcess

    init() throws {
        page = try Document("operations.md")
        scratch = try Scratch()
        simulator = try SimulatorProcess(scratch)
        for folder in ["etc", "etc/tokenbroker", "var", "var/lib", "var/lib/tokenbroker"] {
            try scratch.makeDirectory(folder)
        }
        var settings = Settings(scratch)
        settings.extra = [
            "store:", "  path: \(scratch.path("var/lib/tokenbroker/broker.sqlite"))",
            "  key: file:\(scratch.path("etc/tokenbroker/store.key"))",
        ]
        settings.addManagedSecret(RotationSite.secret)
        settings.addProvider("autocomplete", simulator.baseURL, secret: RotationSite.secret)
        settings.addToken(Self.token)
        try scratch.write("etc/tokenbroker/tokenbroker.yaml", settings.text)
        try scratch.write("new-key", SimulatorProcess.secretKey + "\n")
    }

    /// What stands in for the service manager, and gives the secret its first value.
    private static let before = """
        systemctl() {
            if [ "$1" != start ]; then kill -TERM $broker; wait $broker; fi
            if [ "$1" = stop ]; then return; fi
            tokenbrokerd --config etc/tokenbroker/tokenbroker.yaml 2>>log &
            broker=$!
            until tokenbroker status >status 2>&1; do sleep 0.05; done
        }
        served() { until tokenbroker get autocomplete-web --field generation 2>>log; do sleep 0.05; done; }
        systemctl start
        tokenbroker secret stage autocomplete-sk <new-key
        served

        """

    /// Runs the commands below the headings, and between them those of the test.
    private func run(_ steps: Step...) throws -> [String] {
        let blocks = steps.flatMap { step in
            switch step {
            case .page(let heading): page.blocks("sh", below: heading).map(\.text)
            case .own(let text): [text + "\n"]
            }
        }
        let session = try ShellSession(
            [Self.before] + blocks,
            in: scratch,
            substitutions: [
                ("/etc/tokenbroker", scratch.path("etc/tokenbroker")),
                ("/var/lib/tokenbroker", scratch.path("var/lib/tokenbroker")), ("tar -C / ", "tar -C \(scratch.path) "),
            ],
            environment: [
                "TOKENBROKER_SOCKET=\(scratch.path("run/apps.sock"))",
                "TOKENBROKER_ADMIN_SOCKET=\(scratch.path("admin/admin.sock"))",
            ]
        )
        // What comes after the last block is nothing.
        return session.outputs.dropLast()
    }

    private enum Step {
        case page(String)
        case own(String)
    }

    @Test("a store's key is replaced, and the token is served on")
    func replaced() throws {
        let outputs = try run(.page("Replace it"), .own("served"))
        #expect(outputs.first?.split(separator: "\n").last == outputs.last?.split(separator: "\n").last)
        #expect(try simulator.mints() == 1)
    }

    @Test("a store whose key is lost is begun anew, and gets again what was in it alone")
    func lost() throws {
        let outputs = try run(
            .own("systemctl stop; rm /etc/tokenbroker/store.key; systemctl start; cat status"),
            .page("It is lost"),
            .page("A store that was set aside"),
            .own("served; tokenbroker status")
        )
        #expect(outputs[1].contains("store key_unusable"))
        #expect(outputs.last?.contains("ready") == true)
        #expect(outputs.last?.contains("store ") == false)
        #expect(try Files.names(scratch.path("var/lib/tokenbroker/lost")).contains("broker.sqlite"))
    }

    @Test("a host is left with everything, and the token is served on from the next")
    func moved() throws {
        let outputs = try run(
            .own("true"),
            .page("Move to another host"),
            .own("served")
        )
        #expect(outputs.first?.split(separator: "\n").last == outputs.last?.split(separator: "\n").last)
        #expect(try simulator.mints() == 1)
    }

    @Test("a provider that is down is looked at and asked again")
    func outage() throws {
        let outputs = try run(.page("A provider does not answer"))
        #expect(outputs.joined().contains(Self.token))
    }
}
