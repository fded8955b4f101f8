/// The completion for bash, made from the table of commands.
struct BashCompletion {
    private let root: CommandTree

    init(_ commands: [Command]) {
        root = CommandTree(commands)
    }

    var lines: [String] {
        let values = root.optionsWithValue.map(\.name).joined(separator: " | ")
        let files = root.optionsWithValue.filter { $0.source == .files }.map(\.name).joined(separator: " | ")
        let others = root.optionsWithValue.filter { $0.source != .files }.map(\.name).joined(separator: " | ")
        return """
            # bash completion for tokenbroker(1)

            _tokenbroker() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                local index typed='' words='' options='' files=''
                COMPREPLY=()
                for ((index = 1; index < COMP_CWORD; index++)); do
                    case ${COMP_WORDS[index]} in
                        --)
                            mapfile -t COMPREPLY < <(compgen -c -- "$current")
                            return
                            ;;
                        \(values)) ((index++)) ;;
                        -*) ;;
                        *) typed+="${COMP_WORDS[index]} " ;;
                    esac
                done
                case $previous in
                    \(files))
                        mapfile -t COMPREPLY < <(compgen -f -- "$current")
                        return
                        ;;
                    \(others)) return ;;
                esac
                case $typed in
            \(root.all.flatMap(Self.clauses).joined(separator: "\n"))
                esac
                if [[ $current == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
                elif [[ $files ]]; then
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                else
                    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
                fi
            }

            complete -o filenames -F _tokenbroker tokenbroker
            """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func clauses(_ tree: CommandTree) -> [String] {
        let typed = tree.words.map { $0 + " " }.joined()
        var words = tree.children.map(\.word).joined(separator: " ")
        if tree.source == .tokens { words = "$(\(CompletionSource.tokenList))" }
        // A word that is no part of a command is an operand, and there may be options behind it.
        let pattern = tree.command == nil ? "'\(typed)'" : "'\(typed)'*"
        return [
            "        \(pattern))",
            "            options=\"\(tree.options.map(\.name).joined(separator: " "))\"",
            tree.source == .files ? "            files=yes" : "            words=\"\(words)\"",
            "            ;;",
        ]
    }
}
