import TestSupport
import Testing

@Suite("The page about providers", .blocking)
struct DocumentedProviderTests {
    private static let port = "8700"

    @Test("its set-ups work one after the other as they stand there", .with(.curl))
    func setUps() throws {
        let page = try Document("providers.md")
        let commands = page.blocks.filter { $0.language == "sh" }
        let scratch = try Scratch()
        let session = try ShellSession(
            commands.map(\.text),
            in: scratch,
            substitutions: [(Self.port, String(try FreePort.number()))]
        )
        let headings = Set(page.blocks.filter { $0.language == "text" }.map(\.heading))
        #expect(headings.count >= 5)
        for heading in headings {
            let printed = zip(commands, session.outputs).filter { $0.0.heading == heading }.map(\.1)
            let documented = page.blocks("text", below: heading).map(\.text)
            #expect(
                DocumentedOutput(text: documented.joined()).matches(printed.joined()),
                "\(heading) printed:\n\(printed.joined())"
            )
        }
    }
}
