import Testing
import TokenBroker

@testable import CommandLineTool

@Suite("Help")
struct HelpTests {
    private func output(_ arguments: [String]) -> [String] {
        guard case .report(let report) = Tool.outcome(arguments, Surroundings()), report.status == .done else {
            return []
        }
        return String(decoding: report.output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test("lists exactly the commands of the table", arguments: [["--help"], ["-h"], ["help"]])
    func listsTheTable(arguments: [String]) {
        let listed = output(arguments).drop { $0 != "Commands:" }.dropFirst().prefix { !$0.isEmpty }
        let names = listed.map { $0.dropFirst(2).split(separator: "  ")[0] }.map(String.init)
        #expect(names == CommandTable.commands.map(\.name))
    }

    @Test("shows the options of a command, and no others", arguments: CommandTable.commands.map(\.words))
    func commandOptions(words: [String]) throws {
        let command = try #require(CommandTable.commands.first { $0.words == words })
        let lines = output(["help"] + words)
        #expect(lines == output(words + ["--help"]))
        #expect(lines.first == "Usage: tokenbroker \(command.synopsis)")
        let options = lines.drop { $0 != "Options:" }.dropFirst().filter { $0.hasPrefix("  --") }
        let names = options.map { $0.dropFirst(2).split(separator: " ")[0] }.map(String.init)
        #expect(names == (command.options + CommandOption.global).map(\.name))
    }

    @Test("tells of every exit status but the shell's own, in their order")
    func exitStatuses() {
        let told = output(["help"]).drop { $0 != "Exit status:" }.dropFirst().compactMap { line in
            line.split(separator: " ").first.flatMap { Int32($0) }
        }
        #expect(told == [0, 1, 2, 64, 69, 74, 77, 78])
    }

    @Test("wins over whatever else is missing")
    func helpWins() {
        #expect(output(["exec", "--help"]).first?.hasPrefix("Usage: tokenbroker exec") == true)
    }

    @Test("of a group lists its commands")
    func group() {
        let lines = output(["token", "--help"])
        #expect(lines.contains { $0.contains("token refresh") })
        #expect(lines.contains { $0.contains("token drop") })
        #expect(!lines.contains { $0.contains("check-config") })
        let policy = output(["device", "policy", "--help"])
        #expect(policy.contains { $0.contains("device policy set") })
        #expect(!policy.contains { $0.contains("verify-assertion") })
    }

    @Test("fits a terminal of 120 columns, with no blanks at the ends of lines")
    func lineLengths() {
        for words in [[]] + CommandTable.commands.map(\.words) {
            for line in output(["help"] + words) {
                #expect(line.count <= 120 && line.last != " ", "\(line)")
            }
        }
    }

    @Test("no two commands give one option two meanings")
    func oneMeaning() {
        let options = Set(CommandTable.commands.flatMap(\.options) + CommandOption.global)
        #expect(Set(options.map(\.name)).count == options.count)
    }

    @Test("the version is a line of its own")
    func version() {
        #expect(output(["--version"]) == ["tokenbroker \(Product.version)", ""])
    }
}
