import Foundation
import Testing

/// The page about adding a provider, whose listings are built and tested here.
@Suite("The page about adding a provider")
struct DocumentedExampleTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test("quotes the example as it stands")
    func listings() throws {
        let folders = ["ProvidersTests", "SimulatorTests"].map { "Tests/\($0)/Example" }
        let sources = try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent(folder).path)
                .map { try Self.text("\(folder)/\($0)") }
        }
        let page = try Self.text("docs/adding-a-provider.md")
        let listings = page.matches(of: /(?s)```swift\n(.*?)```/).map(\.1)
        #expect(listings.count == 4)
        for listing in listings {
            #expect(sources.contains { $0.contains(listing) }, "not in the example:\n\(listing)")
        }
    }
}
