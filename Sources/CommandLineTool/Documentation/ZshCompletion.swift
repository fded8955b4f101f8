/// The completion for zsh, made from the table of commands: a function for each place in it.
struct ZshCompletion {
    private let root: CommandTree

    init(_ commands: [Command]) {
        root = CommandTree(commands)
    }

    var lines: [String] {
        [
            "#compdef tokenbroker", "", "# zsh completion for tokenbroker(1)", "",
            "_tokenbroker_names() {",
            "    local -a names",
            "    names=(${(f)\"$(\(CompletionSource.tokenList))\"})",
            "    _describe token names",
            "}",
        ] + root.all.flatMap(Self.definition) + ["", "_tokenbroker \"$@\""]
    }

    private static func definition(_ tree: CommandTree) -> [String] {
        ["", "\(function(tree))() {"] + (tree.children.isEmpty ? leaf(tree) : branch(tree)) + ["}"]
    }

    /// Completes the next word, or what that word's own function does.
    private static func branch(_ tree: CommandTree) -> [String] {
        let words = tree.children.map { "        '\(quoted("\($0.word):\($0.summary)"))'" }
        let cases = tree.children.map { "                \($0.word)) \(function($0)) && ret=0 ;;" }
        return [
            "    local curcontext=$curcontext state state_descr line ret=1",
            "    local -A opt_args",
            "    local -a words_here=(",
        ] + words + ["    )", "    _arguments -C \\"] + tree.options.map { "        \(specification($0)) \\" } + [
            "        '1: :->word' '*:: :->rest' && ret=0",
            "    case $state in",
            "        word) _describe command words_here && ret=0 ;;",
            "        rest)",
            "            case $words[1] in",
        ] + cases + [
            "            esac",
            "            ;;",
            "    esac",
            "    return ret",
        ]
    }

    private static func leaf(_ tree: CommandTree) -> [String] {
        let operands = (tree.command?.operands ?? []).enumerated().map { index, operand in
            switch operand.occurrence {
            case .afterDashes: "'*:::\(operand.name): _normal'"
            case .repeated: "'*:\(operand.name): '"
            case .required, .optional:
                "'\(index + 1):\(operand.name):\(action(index == 0 ? tree.source : .nothing))'"
            }
        }
        let specifications = tree.options.map(specification) + operands
        return ["    _arguments \\", specifications.map { "        \($0)" }.joined(separator: " \\\n")]
    }

    private static func action(_ source: CompletionSource) -> String {
        switch source {
        case .tokens: "_tokenbroker_names"
        case .files: "_files"
        case .nothing: " "
        }
    }

    private static func specification(_ option: CommandOption) -> String {
        let summary = option.summary.replacing("[", with: #"\["#).replacing("]", with: #"\]"#)
        let value = option.value.map { ":\($0):\(action(option.source))" } ?? ""
        return "'\(quoted("\(option.name)[\(summary)]\(value)"))'"
    }

    private static func function(_ tree: CommandTree) -> String {
        (["_tokenbroker"] + tree.words).joined(separator: "_")
    }

    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: #"'\''"#)
    }
}
