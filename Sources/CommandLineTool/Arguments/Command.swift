/// One entry of the table that parsing, help and running are made from.
struct Command: Sendable {
    /// What is typed for it: `["token", "refresh"]`.
    let words: [String]
    var operands: [Operand] = []
    var options: [CommandOption] = []
    /// Whom it asks; nil for a command that asks nobody.
    var socket: BrokerSocket?
    /// One line, for the list of commands.
    let summary: String
    /// Paragraphs for the command's own help.
    var details: [String] = []
    let run: @Sendable (Invocation, Surroundings) throws(CommandFailure) -> Outcome

    var name: String { words.joined(separator: " ") }

    /// The line that says how it is called, without the program's name.
    var synopsis: String {
        (words + options.map { "[\($0.synopsis)]" } + operands.map(\.synopsis)).joined(separator: " ")
    }

    /// Whether what follows `--` is a program to run.
    var takesProgram: Bool { operands.last?.occurrence == .afterDashes }

    /// How many operands there may be, a program apart.
    var operandCount: ClosedRange<Int> {
        let single = operands.filter { $0.occurrence != .afterDashes }
        let isOpen = single.last?.occurrence == .repeated
        return single.filter { $0.occurrence == .required }.count...(isOpen ? Int.max : single.count)
    }
}

/// Something typed that is not an option.
struct Operand: Sendable {
    enum Occurrence: Sendable {
        case required
        case optional
        /// Any number; the last operand only.
        case repeated
        /// Everything after `--`, at least one word; the last operand only.
        case afterDashes
    }

    let name: String
    let occurrence: Occurrence

    init(_ name: String, _ occurrence: Occurrence = .required) {
        self.name = name
        self.occurrence = occurrence
    }

    var synopsis: String {
        switch occurrence {
        case .required: name
        case .optional: "[\(name)]"
        case .repeated: "[\(name) …]"
        case .afterDashes: "-- \(name) …"
        }
    }
}
