/// A command as it was called, its arguments checked against the table.
struct Invocation: Sendable {
    let command: Command
    var operands: [String] = []
    /// The words after `--` of a command that runs a program.
    var program: [String] = []
    /// By option name; what takes no value has an empty one.
    var values: [String: String] = [:]

    subscript(option: CommandOption) -> String? { values[option.name] }

    func has(_ option: CommandOption) -> Bool { values[option.name] != nil }
}

/// What the arguments ask for.
enum ToolRequest: Sendable {
    case version
    /// Help on the command or group of these words; on everything where there are none.
    case help([String])
    case run(Invocation)
}
