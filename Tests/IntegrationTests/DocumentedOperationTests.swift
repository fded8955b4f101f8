import Glibc
import HTTPWire
import TestSupport
import Testing

/// The commands of the page about operating the broker, each run as it stands there but for the paths.
@Suite("The page about operating", .blocking)
struct DocumentedOperationTests {
    private static let secrets = "/etc/tokenbroker/secrets/"
    private static let token = "autocomplete-web"

    private let page: Document

    init() throws {
        page = try Document("operations.md")
    }

    private func site(_ source: RotationSite.Source = .managed) throws -> RotationSite {
        let site = try RotationSite(source, token: Self.token)
        try site.scratch.write("new-key", RotationSite.nextKey + "\n")
        return site
    }

    /// Runs the commands below a heading, and compares what they print with what stands there.
    private func run(_ heading: String, at site: RotationSite) throws -> String {
        let session = try ShellSession(
            page.blocks("sh", below: heading).map(\.text),
            in: site.scratch,
            substitutions: [
                ("-g tokenbroker ", ""), (Self.secrets + RotationSite.secret, site.scratch.path("secret")),
                (Self.secrets, site.scratch.path("")),
            ],
            environment: ["TOKENBROKER_ADMIN_SOCKET=\(site.broker.adminSocket)"]
        )
        return session.outputs.joined()
    }

    private func expect(_ output: String, below heading: String) {
        let documented = page.blocks("text", below: heading).map(\.text).joined()
        #expect(!documented.isEmpty)
        #expect(DocumentedOutput(text: documented).matches(output), "\(heading) printed:\n\(output)")
    }

    @Test("a managed key is rotated by one command")
    func managed() throws {
        let site = try site()
        expect(try run("A managed key", at: site), below: "A managed key")
        #expect(try site.states() == ["retiring", "active"])
    }

    @Test("a key that the provider makes is rotated by one command, which says before what it would do")
    func created() throws {
        let site = try CreationSite(.gateway, drain: "60s")
        let heading = "A key that the provider makes"
        let session = try ShellSession(
            page.blocks("sh", below: heading).map(\.text),
            in: site.scratch,
            environment: ["TOKENBROKER_ADMIN_SOCKET=\(site.broker.adminSocket)"]
        )
        expect(session.outputs.joined(), below: heading)
        #expect(try site.states() == ["retiring", "active"])
    }

    @Test("a key in a file is rotated by another file")
    func file() throws {
        let site = try site(.file)
        #expect(try run("A key in a file", at: site).hasPrefix("NAME "))
        try Deadline.until("the promotion") { try site.states() == ["retiring", "active"] }
        _ = try run("A leaked key in a file", at: site)
        #expect(try site.states() == ["retired", "active"])
    }

    @Test("a rotation is taken back by one command")
    func rollback() throws {
        let site = try site()
        try site.succeed("rotate \(RotationSite.secret)", input: RotationSite.nextKey)
        expect(try run("Take a rotation back", at: site), below: "Take a rotation back")
        #expect(try site.states() == ["active", "staged"])
    }

    @Test("a leaked key is gone after three")
    func leaked() throws {
        let site = try site()
        expect(try run("A leaked key", at: site), below: "A leaked key")
        #expect(try site.states() == ["retired", "active"])
    }
}
