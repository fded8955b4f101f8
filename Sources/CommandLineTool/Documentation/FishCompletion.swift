/// The completion for fish, made from the table of commands.
struct FishCompletion {
    private let root: CommandTree

    init(_ commands: [Command]) {
        root = CommandTree(commands)
    }

    var lines: [String] {
        """
        # fish completion for tokenbroker(1)

        # The words typed so far that are no options.
        function __tokenbroker_typed
            set -l typed
            set -l skips
            for word in (commandline -opc)[2..-1]
                if set -q skips[1]
                    set -e skips[1]
                    continue
                end
                switch $word
                    case \(root.optionsWithValue.map(\.name).joined(separator: " "))
                        set skips yes
                    case '-*'
                    case '*'
                        set -a typed $word
                end
            end
            string join -- ' ' $typed
        end

        function __tokenbroker_is
            test "$(__tokenbroker_typed)" = "$argv"
        end

        function __tokenbroker_begins
            string match -q -- "$argv *" "$(__tokenbroker_typed) "
        end

        complete -c tokenbroker -f
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            + CommandOption.global.map { Self.rule("true", $0) } + root.all.flatMap(Self.rules)
    }

    private static func rules(_ tree: CommandTree) -> [String] {
        let typed = tree.words.joined(separator: " ")
        let words = tree.children.map { rule("__tokenbroker_is \(typed)", $0) }
        let options = (tree.command?.options ?? []).map { rule("__tokenbroker_begins \(typed)", $0) }
        switch tree.source {
        case .nothing: return words + options
        case .files: return words + options + ["complete -c tokenbroker -n '__tokenbroker_begins \(typed)' -F"]
        case .tokens:
            let list = quoted(CompletionSource.tokenList)
            return words + options + ["complete -c tokenbroker -n '__tokenbroker_begins \(typed)' -a '(\(list))'"]
        }
    }

    private static func rule(_ condition: String, _ tree: CommandTree) -> String {
        "complete -c tokenbroker -n '\(condition)' -a \(tree.word) -d '\(quoted(tree.summary))'"
    }

    private static func rule(_ condition: String, _ option: CommandOption) -> String {
        let value = option.value == nil ? "" : option.source == .files ? " -r -F" : " -x"
        let name = option.name.dropFirst(2)
        return "complete -c tokenbroker -n '\(condition)' -l \(name)\(value) -d '\(quoted(option.summary))'"
    }

    private static func quoted(_ text: String) -> String {
        text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#)
    }
}
