import Foundation
import Providers
import TestSupport
import Testing
import TokenBroker

@testable import CommandLineTool

@Suite("Manual pages and completions", .blocking)
struct DocumentationTests {
    private static let commands = CommandTable.commands

    /// A program with this text in a file of its own.
    private func run(
        _ program: String,
        _ arguments: [String],
        _ text: String,
        named name: String = "completion"
    ) throws -> (Int32, String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(name)")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments.map { $0 == "FILE" ? file.path : $0 }
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": file.path, "LC_ALL": "C.UTF-8"]
        let pipe = Pipe.own()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private static func page(_ name: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try String(contentsOfFile: "/\(root)/docs/man/\(name)", encoding: .utf8)
    }

    private static func isThere(_ program: String) -> Bool { FileManager.default.isExecutableFile(atPath: program) }

    // MARK: Manual pages

    @Test("the tool's page has every command, option and exit status of the tables")
    func manual() {
        let lines = Documentation.Document.manual.text.split(separator: "\n")
        for command in Self.commands {
            #expect(lines.contains(".Cm \(command.name.replacing("-", with: #"\-"#))"))
        }
        for option in Self.commands.flatMap(\.options) + CommandOption.global {
            #expect(lines.contains(".It \(ManualText.option(option))"))
        }
        for socket in [BrokerSocket.apps, .admin] { #expect(lines.contains(".It Ev \(socket.variable)")) }
        for (status, _) in ExitStatus.documented { #expect(lines.contains(".It \(status.rawValue)")) }
    }

    @Test("text stands for itself, and a sentence begins a line")
    func text() {
        #expect(ManualText.paragraph("One. Two… \\three") == ["One.", #"Two... \ethree"#])
        #expect(ManualText.paragraph(".Sh is no macro here") == [#"\&.Sh is no macro here"#])
        #expect(ManualText.paragraph("--json") == [#"\-\-json"#])
        let long = String(repeating: "word ", count: 40)
        #expect(ManualText.paragraph(long).allSatisfy { $0.count <= 80 })
    }

    @Test("every option of every kind of provider is in the configuration's page")
    func kinds() {
        let lines = Documentation.Document.kinds.text.split(separator: "\n")
        for kind in ProviderRegistry.kinds {
            #expect(lines.contains { $0 == ".Ss \(kind.name.replacing("-", with: #"\-"#))" })
            for option in kind.providerOptions + kind.tokenOptions { #expect(lines.contains(".It Cm \(option.name)")) }
        }
    }

    @Test(
        "mandoc has nothing to say against the pages",
        .enabled(if: isThere("/usr/bin/mandoc"), "mandoc is not installed (package mandoc)"),
        arguments: ["tokenbroker.1", "tokenbrokerd.8", "tokenbroker.yaml.5"]
    )
    func lint(name: String) throws {
        let generated = name == Documentation.Document.manual.rawValue
        let page = generated ? Documentation.Document.manual.text : try Self.page(name)
        let text = page.replacing("@DATE@", with: "November 30, 2026")
            .replacing("@KINDS@\n", with: Documentation.Document.kinds.text)
        let (_, output) = try run("/usr/bin/mandoc", ["-T", "lint", "FILE"], text, named: name)
        // The pages that it refers to are not installed where the tests run.
        let complaints = output.split(separator: "\n").filter {
            !$0.contains("referenced manual not found") && !$0.contains("outdated mandoc.db")
        }
        #expect(complaints == [])
    }

    // MARK: Completions

    private static let bashDriver = """
        source "$1"; shift
        tokenbroker() { printf 'NAME  KIND\\nweb  x\\nworker  x\\n'; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _tokenbroker; printf '%s\\n' "${COMPREPLY[@]}"
        """

    @Test(
        "bash proposes commands, their options and the tokens that there are",
        .enabled(if: isThere("/bin/bash")),
        arguments: [
            (["do"], ["doctor"]), (["token", "re"], ["refresh"]), (["device", "verify-at"], ["verify-attestation"]),
            (["get", "w"], ["web", "worker"]), (["--socket", "/x", "get", "we"], ["web"]),
            (["get", "--he"], ["--header", "--help"]), (["status", "--j"], ["--json"]), (["token", "--j"], [""]),
            (["get", "--end-user", ""], [""]), (["check-config", "/etc/passw"], ["/etc/passwd", "/etc/passwd-"]),
            (["doctor", "--socket", "/etc/hostn"], ["/etc/hostname"]), (["token", "drop", "we"], ["web"]),
        ] as [([String], [String])]
    )
    func bash(typed: [String], proposed: [String]) throws {
        let (_, output) = try run(
            "/bin/bash",
            ["-c", Self.bashDriver, "bash", "FILE", "tokenbroker"] + typed,
            Documentation.Document.bash.text
        )
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        #expect(lines.filter { $0 != "/etc/passwd-" } == proposed.filter { $0 != "/etc/passwd-" })
    }

    @Test(
        "fish proposes the same",
        .enabled(if: isThere("/usr/bin/fish"), "fish is not installed (package fish)"),
        arguments: [
            ("tokenbroker do", ["doctor"]), ("tokenbroker token re", ["refresh"]),
            ("tokenbroker get --he", ["--header", "--help"]), ("tokenbroker get --json w", ["web", "worker"]),
            ("tokenbroker status --j", ["--json"]),
            ("tokenbroker --socket /x token d", ["drop"]), ("tokenbroker reload --j", []),
        ]
    )
    func fish(typed: String, proposed: [String]) throws {
        let tokens = "function tokenbroker; printf 'NAME  KIND\\nweb  x\\nworker  x\\n'; end\n"
        let script = tokens + Documentation.Document.fish.text + "\ncomplete -C '\(typed)'\n"
        let (_, output) = try run("/usr/bin/fish", ["--no-config", "FILE"], script)
        let words = output.split(separator: "\n").map { $0.prefix { $0 != "\t" } }.map(String.init)
        #expect(words.sorted() == proposed)
    }

    @Test("zsh can read its completion", .enabled(if: isThere("/usr/bin/zsh"), "zsh is not installed (package zsh)"))
    func zsh() throws {
        let (ending, output) = try run("/usr/bin/zsh", ["-n", "FILE"], Documentation.Document.zsh.text)
        #expect(ending == 0)
        #expect(output == "")
    }

    @Test(
        "each shell's completion has every command and option",
        arguments: [Documentation.Document.bash, .zsh, .fish]
    )
    func complete(document: Documentation.Document) {
        for command in Self.commands {
            for word in command.words { #expect(document.text.contains(word)) }
            for option in command.options { #expect(document.text.contains(option.name.dropFirst(2))) }
        }
    }

    @Test("the tree of commands has each where its words lead, below the words that lead on")
    func tree() {
        func leaf(_ words: String...) -> Command {
            Command(words: words, summary: words.joined(), run: { _, _ throws(CommandFailure) in .report(Report()) })
        }
        let root = CommandTree([leaf("a"), leaf("b", "c"), leaf("b", "d", "e"), leaf("b", "d", "f"), leaf("a", "g")])
        #expect(root.children.map(\.word) == ["a", "b"])
        #expect(root.children[0].command != nil && root.children[0].children.map(\.word) == ["g"])
        #expect(root.children[1].command == nil && root.children[1].summary == "c, d")
        #expect(root.children[1].children[1].children.map(\.words) == [["b", "d", "e"], ["b", "d", "f"]])
        #expect(root.all.last?.words == [])
    }
}
