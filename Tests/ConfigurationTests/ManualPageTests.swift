import Foundation
import Testing

@Suite("The configuration's manual page")
struct ManualPageTests {
    private static let root: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The keys that the reader's source asks a mapping for; those of the kinds of providers are generated.
    private static func keysOfReader() throws -> Set<String> {
        let folder = root.appendingPathComponent("Sources/Configuration")
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var keys: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            keys.formUnion(text.matches(of: /(?:optional|required)\("([a-z_]+)"/).map { String($0.1) })
            keys.formUnion(text.matches(of: /settings\["([a-z_]+)"\]/).map { String($0.1) })
        }
        return keys
    }

    @Test("has every key that the reader knows, and says nothing of others")
    func keys() throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("docs/man/tokenbroker.yaml.5"),
            encoding: .utf8
        )
        let words = page.split(separator: "\n").filter { $0.hasPrefix(".It Cm ") || $0.hasPrefix(".Cm ") }
            .flatMap { $0.split(separator: " ").dropFirst().map(String.init) }
        let keys = try Self.keysOfReader()
        #expect(keys.count > 40)
        for key in keys { #expect(words.contains(key), "\(key)") }
        let listed = page.matches(of: /\n\.It Cm ([a-z_]+)\n/).map { String($0.1) }
        for key in listed { #expect(keys.contains(key), "\(key)") }
    }
}
