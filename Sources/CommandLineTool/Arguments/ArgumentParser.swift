internal import TokenBroker

/// Reads the arguments by the table of commands.
///
/// Options may stand anywhere before `--`, with their value as the next argument or behind `=`.
struct ArgumentParser: Sendable {
    let commands: [Command]

    private static let seeHelp = "Try '\(Installation.program) help'."

    /// - Throws: a usage failure that names the argument, and the near miss where there is one.
    func parse(_ arguments: [String]) throws(CommandFailure) -> ToolRequest {
        var scan = try scan(arguments)
        if scan.values[CommandOption.help.name] != nil { return .help(try topic(scan.words)) }
        if scan.values[CommandOption.version.name] != nil { return .version }
        guard !scan.words.isEmpty else { throw .usage("a command is missing", hint: Self.seeHelp) }

        let command = try command(scan.words)
        let options = command.options + CommandOption.global
        for option in scan.order where !options.contains(option) {
            throw .usage("'\(command.name)' has no option \(option.name)", hint: Self.usageLine(command))
        }
        if !command.takesProgram, let rest = scan.afterDashes {
            scan.words += rest
            scan.afterDashes = nil
        }
        let operands = Array(scan.words.dropFirst(command.words.count))
        try check(operands, program: scan.afterDashes, of: command)
        return .run(
            Invocation(command: command, operands: operands, program: scan.afterDashes ?? [], values: scan.values)
        )
    }

    /// The longest entry or group of the table that these words begin with.
    ///
    /// - Throws: a usage failure where the table has no such first word.
    func topic(_ words: [String]) throws(CommandFailure) -> [String] {
        let isGroup = commands.contains { $0.words.count > words.count && $0.words.starts(with: words) }
        return isGroup ? words : try command(words).words
    }

    private func command(_ words: [String]) throws(CommandFailure) -> Command {
        if let command = commands.first(where: { words.starts(with: $0.words) }) { return command }
        // The words that some commands begin with, and those that may follow them.
        var group = words
        var next: [String] = []
        while next.isEmpty {
            next = commands.filter { $0.words.count > group.count && $0.words.starts(with: group) }
                .map { $0.words[group.count] }
            if next.isEmpty { group.removeLast() }
        }
        let name = group.joined(separator: " ")
        guard words.count > group.count else {
            var list: [String] = []
            for word in next where !list.contains(word) { list.append(word) }
            throw .usage("'\(name)' needs one of: \(list.joined(separator: ", "))", hint: Self.seeHelp)
        }
        throw Self.unknown("command", words[group.count], among: next, after: group.isEmpty ? nil : name)
    }

    private func check(
        _ operands: [String],
        program: [String]?,
        of command: Command
    ) throws(CommandFailure) {
        let hint = Self.usageLine(command)
        let single = command.operands.filter { $0.occurrence != .afterDashes }
        if operands.count < command.operandCount.lowerBound {
            throw .usage("'\(command.name)' needs \(single[operands.count].name)", hint: hint)
        }
        if operands.count > command.operandCount.upperBound {
            let extra = operands[command.operandCount.upperBound]
            let why =
                command.takesProgram && program == nil ? "the command to run comes after '--'" : "one word too many"
            throw .usage("'\(command.name)': \(why)", of: extra, hint: hint)
        }
        if command.takesProgram, (program ?? []).isEmpty {
            throw .usage("'\(command.name)' needs the command to run after '--'", hint: hint)
        }
    }

    static func usageLine(_ command: Command) -> String {
        "Usage: \(Installation.program) \(command.synopsis)"
    }

    private static func unknown(
        _ what: String,
        _ word: String,
        among known: [String],
        after group: String? = nil
    ) -> CommandFailure {
        let guess = NearMiss.best(for: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
        let place = group.map { " after '\($0)'" } ?? ""
        let quoted = Quotation(word).map { " \($0)" } ?? ""
        return .usage("unknown \(what)\(quoted)\(place)\(guess)", hint: seeHelp)
    }
}

extension ArgumentParser {
    /// The arguments told apart, before it is known which command they are for.
    private struct Scan {
        var words: [String] = []
        var values: [String: String] = [:]
        var order: [CommandOption] = []
        var afterDashes: [String]?
    }

    private func scan(_ arguments: [String]) throws(CommandFailure) -> Scan {
        var scan = Scan()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                scan.afterDashes = Array(rest)
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                scan.words.append(argument)
                continue
            }
            let (name, attached) = Self.split(argument)
            let option = try option(name, after: scan.words)
            guard scan.values[option.name] == nil else { throw .usage("\(option.name) is given twice") }
            scan.order.append(option)
            scan.values[option.name] = try Self.value(of: option, attached: attached, &rest)
        }
        return scan
    }

    private static func split(_ argument: String) -> (name: String, attached: String?) {
        if argument == "-h" { return (CommandOption.help.name, nil) }
        guard argument.hasPrefix("--"), let mark = argument.firstIndex(of: "=") else { return (argument, nil) }
        return (String(argument[..<mark]), String(argument[argument.index(after: mark)...]))
    }

    private static func value(
        of option: CommandOption,
        attached: String?,
        _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) -> String {
        guard let value = option.value else {
            if attached != nil { throw .usage("\(option.name) takes no value") }
            return ""
        }
        guard let text = attached ?? rest.popFirst(), !text.isEmpty else {
            throw .usage("\(option.name) needs a value: \(option.name) \(value)")
        }
        return text
    }

    /// An option of any command; which one it is for is known only at the end.
    private func option(_ name: String, after words: [String]) throws(CommandFailure) -> CommandOption {
        let every = CommandOption.global + commands.flatMap(\.options)
        if let option = every.first(where: { $0.name == name }) { return option }
        let command = commands.first { words.starts(with: $0.words) }
        if let command, command.takesProgram, words.count > command.words.count + command.operandCount.upperBound {
            throw .usage("the command to run comes after '--'", hint: Self.usageLine(command))
        }
        let known = command.map { $0.options + CommandOption.global } ?? every
        throw Self.unknown("option", name, among: known.map(\.name))
    }
}
