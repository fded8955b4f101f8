import Foundation
import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("The README's example")
struct ReadmeTests {
    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// What stands between two lines.
    private static func part(of text: String, from first: String, to last: String) -> [Substring] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.drop { !$0.hasSuffix(first) }.dropFirst().prefix { !$0.hasSuffix(last) })
    }

    @Test("is the code that is tested here")
    func same() throws {
        let section = try Self.part(of: Self.text("README.md"), from: "## From Swift", to: "## Where to go next")
        let example = Self.part(of: section.joined(separator: "\n"), from: "```swift", to: "```")
        let source = try Self.text("Tests/TokenBrokerClientTests/ReadmeTests.swift")
        let tested = Self.part(of: source, from: "// The example begins.", to: "// The example ends.")
        #expect(!example.isEmpty)
        #expect(example == tested.map { $0.dropFirst(8) })
    }

    @Test("works with the socket that the environment names")
    func works() async {
        await #expect(processExitsWith: .success) {
            let server = ScriptedServer { _, connection in
                for answer in Self.answers where connection.receive() != nil { connection.send(answer) }
            }
            setenv("TOKENBROKER_SOCKET", server.path, 1)
            let error = await failure { try await Self.example() }
            exit(error?.code == .unknownToken ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// To the fetch, the report and two polls, of which the second ends the example.
    private static var answers: [String] {
        let tokens = (1...3).map { HTTPClientResponse.token($0, lifetime: 1_000_000_000, refresh: 1_000_000_000) }
        let problem = HTTPClientResponse.problem(404, "unknown_token")
        return tokens.map { ScriptedServer.answer($0.text) } + [ScriptedServer.answer(problem.text, status: 404)]
    }

    /// Of a provider that refuses the first token.
    private static func send(_ accessToken: String) async throws -> Int {
        accessToken == "at_v1_1" ? 401 : 200
    }

    private static func use(_ token: Token) {
        precondition(token.accessToken == "at_v1_3")
    }

    private static func example() async throws {
        // The example begins.
        let broker = TokenBrokerClient()  // TOKENBROKER_SOCKET, else /run/tokenbroker/apps.sock

        var token = try await broker.token(named: "autocomplete-web", minimumTimeToLive: .seconds(60))
        if try await send(token.accessToken) == 401 {
            token = try await broker.rejected(token)  // send again with this one, once
        }

        for try await token in broker.generations(of: "autocomplete-web") {
            use(token)  // the present one, then each that follows it
        }
        // The example ends.
    }
}

extension HTTPClientResponse {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
