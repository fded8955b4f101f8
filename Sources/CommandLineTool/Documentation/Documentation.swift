internal import Glibc
internal import Providers

/// What is installed beside the programs, made from the tables that they run by.
public enum Documentation {
    /// Prints the document that the one argument names.
    public static func main() -> Never {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 1, let document = arguments.first.flatMap(Document.init) else {
            let names = Document.allCases.map(\.rawValue).joined(separator: " | ")
            _ = StandardStream.error.write(Array("Usage: tokenbroker-documentation \(names)\n".utf8))
            exit(ExitStatus.usage.rawValue)
        }
        print(document.text, terminator: "")
        exit(ExitStatus.done.rawValue)
    }

    enum Document: String, CaseIterable {
        /// The manual page of the tool.
        case manual = "tokenbroker.1"
        /// What stands for `@KINDS@` in the manual page of the configuration.
        case kinds
        case bash
        case zsh
        case fish

        var text: String {
            let lines =
                switch self {
                case .manual: ManualPage(CommandTable.commands).lines
                case .kinds: KindOptions(ProviderRegistry.kinds).lines
                case .bash: BashCompletion(CommandTable.commands).lines
                case .zsh: ZshCompletion(CommandTable.commands).lines
                case .fish: FishCompletion(CommandTable.commands).lines
                }
            return lines.joined(separator: "\n") + "\n"
        }
    }
}
