import Configuration
import Testing
import TokenBroker

@Suite("The key of a provider's key API")
struct ManagementTests {
    private static let head = """
        store: { path: /s, key: "file:/k" }
        secrets: { key: { managed: true }, admin: { file: /a } }

        """

    private static func provider(_ options: String, kind: String = "varied, project: abc") -> String {
        head + "providers: { p: { kind: \(kind), secret: key, \(options) } }\n"
    }

    @Test("is a secret of its own, which is not among those that tokens are minted with")
    func read() throws {
        let configuration = try load(Self.provider("management: admin"))
        let account = try #require(configuration.definition.providers["p"])
        #expect(account.management == "admin")
        #expect(account.secretsByOption.isEmpty)
        // Stored tokens are known by the options that they were minted with, which this is not one of.
        #expect(account.options == (try load(Self.provider("")).definition.providers["p"])?.options)
        #expect(configuration.warnings.isEmpty)
    }

    @Test(
        "is refused where it cannot be one",
        arguments: [
            ("management: admim", "varied, project: abc", "p.management: no secret 'admim'; did you mean 'admin'?"),
            ("managment: admin", "varied, project: abc", "managment: unknown key; did you mean 'management'?"),
            ("management: admin", "ai-autocomplete", "management: unknown key"),
            ("management: key", "varied, project: abc", "management: the provider p mints with this secret"),
        ]
    )
    func refused(_ options: String, _ kind: String, _ complaint: String) {
        let lines = complaints(Self.provider(options, kind: kind))
        #expect(lines.count == 1)
        #expect(lines.first?.contains(complaint) == true, "\(lines)")
    }

    @Test("is not minted with by another provider either, whichever file that is in")
    func shared() {
        let other = "providers: { q: { kind: varied, project: b, secret: admin } }"
        let lines = complaints(Self.provider("management: admin"), dropIns: ["a.yaml": other])
        #expect(lines.count == 1)
        #expect(lines.first?.contains("management: the provider q mints with this secret") == true, "\(lines)")
    }

    @Test("is hardly meant where the key that tokens are minted with is not managed")
    func unmanaged() throws {
        let text = Self.provider("management: admin").replacing("key: { managed: true }", with: "key: { file: /f }")
        let warnings = try load(text).warnings.map(\.description)
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("providers.p: management: a key is made for a managed secret only") == true)
    }

    @Test(
        "is not one that tokens are minted with, as far as its beginning tells",
        arguments: [("sk_v1_x", true), ("pk_v1_x", false), ("chat-x", true), ("whatever", false)]
    )
    func kind(_ text: String, _ isRefused: Bool) throws {
        let secret = SecretDefinition(name: "admin", source: .file(path: "/a"))
        let problem = kinds[0].managementProblem(with: Secret(text.utf8), of: secret, among: kinds)
        #expect((problem != nil) == isRefused)
        #expect(problem?.description.contains("pk_v1_") != false)
    }
}
