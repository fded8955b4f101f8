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
            "  key: file:\(scratch.path("var/lib/tokenbroker/store.key"))",
        ]
        settings.addManagedSecret(RotationSite.secret)
        settings.addProvider("autocomplete", simulator.baseURL, secret: RotationSite.secret)
        settings.addToken(Self.token)
        try scratch.write("etc/tokenbroker/tokenbroker.yaml", settings.text)
        try scratch.write("new-key", SimulatorProcess.secretKey + "\n")
    }

    /// Whether the daemon can have a user of its own.
    private static let hasOtherUser = geteuid() == 0 && getpwnam("nobody") != nil

    /// Has the daemon be another user than the test, as under the unit: what root makes is not the daemon's then.
    private func useOtherUser() throws {
        let nobody = try #require(getpwnam("nobody")).pointee
        try #require(chown(scratch.path("var/lib/tokenbroker"), nobody.pw_uid, nobody.pw_gid) == 0)
        let file = "etc/tokenbroker/tokenbroker.yaml"
        try scratch.write(file, Files.text(scratch.path(file)) + "run_as: nobody\n")
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
            case .page(let heading, let first): page.blocks("sh", below: heading).dropFirst(first).map(\.text)
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
        /// The commands below a heading, without so many of their blocks.
        case page(String, after: Int = 0)
        case own(String)
    }

    @Test("a store's key is replaced, and the token is served on")
    func replaced() throws {
        if Self.hasOtherUser { try useOtherUser() }
        let outputs = try run(.page("Replace it"), .own("tokenbroker audit verify; served"))
        #expect(outputs.first?.split(separator: "\n").last == outputs.last?.split(separator: "\n").last)
        #expect(try simulator.mints() == 1)
        #expect(try !Files.names(scratch.path("var/lib/tokenbroker")).contains("old.key"))
        #expect(try !Files.text(scratch.path("etc/tokenbroker/tokenbroker.yaml")).contains("previous_key"))
    }

    @Test(
        "a store's key stays where the daemon cannot take the new one, and is replaced when that is mended",
        .enabled(if: hasOtherUser, "needs root and a user nobody")
    )
    func notReplaced() throws {
        try useOtherUser()
        let outputs = try run(
            .own("chown() { :; }"),
            .page("Replace it"),
            .own("cat status; grep previous_key /etc/tokenbroker/tokenbroker.yaml; ls /var/lib/tokenbroker/old.key"),
            .own("unset -f chown; chown nobody /var/lib/tokenbroker/store.key; systemctl restart"),
            .page("Replace it", after: 1),
            .own("served; tokenbroker status")
        )
        #expect(outputs[4].contains("store key_unusable"))
        #expect(outputs.last?.contains("store ") == false)
        #expect(try !Files.names(scratch.path("var/lib/tokenbroker")).contains("old.key"))
    }

    @Test("a store whose key is lost is begun anew, and gets again what was in it alone")
    func lost() throws {
        let outputs = try run(
            .own("systemctl stop; rm /var/lib/tokenbroker/store.key; systemctl start; cat status"),
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
