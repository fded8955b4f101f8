/// The help, made from the table of commands.
struct HelpText: Sendable {
    private let commands: [Command]

    init(_ commands: [Command]) {
        self.commands = commands
    }

    /// - Parameter topic: the words of a command, of a group of commands, or none for everything.
    func lines(on topic: [String]) -> [String] {
        if let command = commands.first(where: { $0.words == topic }) { return Self.lines(command) }
        let listed = commands.filter { $0.words.starts(with: topic) }
        return topic.isEmpty ? overview : Self.list(listed)
    }

    private var overview: [String] {
        ["Usage: \(Installation.program) [--socket PATH] COMMAND …", ""]
            + Self.list(commands)
            + [""] + Self.optionList("Options:", CommandOption.global)
            + ["", "Environment:", environment(.apps), environment(.admin)]
            + ["", "Exit status:"]
            + ExitStatus.documented.map { status, meaning in
                Self.entry(String(status.rawValue), meaning, width: 2)
            }
    }

    private func environment(_ socket: BrokerSocket) -> String {
        var users: [String] = []
        for command in commands where command.socket == socket && users.last != command.words[0] {
            users.append(command.words[0])
        }
        let meaning = "the socket of \(users.joined(separator: ", "))"
        return Self.entry(socket.variable, meaning, width: BrokerSocket.admin.variable.count)
    }

    private static func lines(_ command: Command) -> [String] {
        var lines = [ArgumentParser.usageLine(command), "", sentence(command.summary)]
        for paragraph in command.details { lines += [""] + TextWrapping.lines(paragraph) }
        return lines + [""] + optionList("Options:", command.options + CommandOption.global)
    }

    private static func list(_ commands: [Command]) -> [String] {
        let width = commands.map(\.name.count).max() ?? 0
        return ["Commands:"] + commands.map { entry($0.name, $0.summary, width: width) }
    }

    private static func optionList(_ title: String, _ options: [CommandOption]) -> [String] {
        let width = options.map(\.synopsis.count).max() ?? 0
        return [title] + options.map { entry($0.synopsis, $0.summary, width: width) }
    }

    private static func entry(_ name: String, _ text: String, width: Int) -> String {
        "  " + name + String(repeating: " ", count: max(0, width - name.count) + 2) + text
    }

    static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }
}
