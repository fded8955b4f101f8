import Foundation
import JSON
import TestSupport
import Testing

@testable import Serving

/// The files for Prometheus and Grafana that are shipped beside the broker.
@Suite("Monitoring files", .blocking)
struct MonitoringFilesTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Config")

    @Test(
        "ask for metrics that there are, and for nothing else",
        arguments: [
            "prometheus/tokenbroker.rules.yml", "prometheus/tokenbroker.rules.test.yml", "grafana/tokenbroker.json",
        ]
    )
    func names(path: String) async throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent(path), encoding: .utf8)
        // A metric, or the label of the same name that its states have.
        let asked = Set(text.matches(of: /tokenbroker_[a-z0-9_]+/).map { String($0.output) })
        let there = try await Harness.operated().metrics().names
        #expect(asked.count >= 8)
        #expect(asked.subtracting(there).isEmpty)
    }

    @Test("the board is JSON, each panel with a number of its own and something to ask")
    func board() throws {
        let data = try Data(contentsOf: Self.folder.appendingPathComponent("grafana/tokenbroker.json"))
        let panels = try #require(try JSONValue(parsing: Array(data))["panels"]?.array)
        #expect(Set(panels.compactMap { $0["id"]?.number?.int64 }).count == panels.count)
        for panel in panels {
            let targets = panel["targets"]?.array ?? []
            #expect(!targets.isEmpty && targets.allSatisfy { $0["expr"]?.string?.isEmpty == false })
        }
    }

    private static let promtool = ["/usr/bin", "/usr/local/bin"].map { $0 + "/promtool" }
        .first(where: FileManager.default.isExecutableFile)

    @Test(
        "the alerts fire when they should, and only then",
        .enabled(if: promtool != nil, "promtool (package prometheus) is not installed")
    )
    func alerts() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(Self.promtool))
        process.arguments = ["test", "rules", "tokenbroker.rules.test.yml"]
        process.currentDirectoryURL = Self.folder.appendingPathComponent("prometheus")
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
    }
}
