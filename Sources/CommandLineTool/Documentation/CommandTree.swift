/// The commands by the words they are typed with, for the completions of the shells.
struct CommandTree {
    /// What has been typed to get here; empty at the root.
    let words: [String]
    /// What these words run, where they are a whole command.
    let command: Command?
    /// By the word that is typed next, in the order of the table.
    let children: [CommandTree]

    init(_ commands: [Command], words: [String] = []) {
        self.words = words
        command = commands.first { $0.words == words }
        var next: [String] = []
        for command in commands where command.words.count > words.count && command.words.starts(with: words) {
            let word = command.words[words.count]
            if !next.contains(word) { next.append(word) }
        }
        children = next.map { CommandTree(commands, words: words + [$0]) }
    }

    /// The last of the words that lead here.
    var word: String { words.last ?? "" }

    /// All that may be chosen below, where this is no command.
    var summary: String {
        command?.summary ?? children.map(\.word).joined(separator: ", ")
    }

    var options: [CommandOption] { (command?.options ?? []) + CommandOption.global }

    /// This one and all below it, the deepest first.
    var all: [CommandTree] { children.flatMap(\.all) + [self] }

    /// Every option that a value follows, once.
    var optionsWithValue: [CommandOption] {
        var seen: Set<String> = []
        return all.flatMap(\.options).filter { $0.value != nil && seen.insert($0.name).inserted }
    }
}

/// What can be proposed in the place of an operand or a value.
enum CompletionSource {
    case tokens
    case files
    case nothing

    /// Lists the tokens that the user may fetch, one a line; nothing where the broker is not there.
    static let tokenList = "\(Installation.program) list 2>/dev/null | sed -e 1d -e 's/ .*//'"
}

extension CommandTree {
    /// What the first operand can be.
    var source: CompletionSource {
        guard let command, let operand = command.operands.first else { return .nothing }
        if operand.name == "FILE" { return .files }
        return operand.name == "NAME" && (command.socket == .apps || words[0] == "token") ? .tokens : .nothing
    }
}

extension CommandOption {
    var source: CompletionSource { value == "PATH" || value == "FILE" ? .files : .nothing }
}
