/// The manual page tokenbroker(1), made from the table of commands.
///
/// `@DATE@` in it is for the packaging to fill in.
struct ManualPage {
    private let commands: [Command]

    init(_ commands: [Command]) {
        self.commands = commands
    }

    var lines: [String] {
        head + [".Sh COMMANDS", ".Bl -tag -width Ds"] + commands.flatMap(Self.entry) + [".El"] + environment + files
            + exitStatus + seeAlso
    }

    private var head: [String] {
        [
            ".Dd @DATE@", ".Dt TOKENBROKER 1", ".Os",
            ".Sh NAME", ".Nm \(Installation.program)", ".Nd fetch short\\-lived tokens, and operate the token broker",
            ".Sh SYNOPSIS", ".Nm", ".Op Fl \\-socket Ar PATH", ".Ar COMMAND", ".Op Ar argument ...",
            ".Sh DESCRIPTION",
        ]
            + ManualText.paragraph(
                "Asks the token broker of this host, over its Unix sockets. Long-lived secrets come from standard input and "
                    + "never from an argument. Output is plain text for people; where a command takes --json it is JSON "
                    + "for scripts."
            )
            + [".Pp", "Before and after every command may stand:"] + Self.list(CommandOption.global)
    }

    private static func entry(_ command: Command) -> [String] {
        let synopsis =
            [".It Xo", ".Cm \(command.words.map(ManualText.escaped).joined(separator: " "))"]
            + command.options.map { ".Op \(ManualText.option($0))" }
            + command.operands.map { ".\(ManualText.operand($0))" } + [".Xc"]
        let details = command.details.flatMap { [".Pp"] + ManualText.paragraph($0) }
        return synopsis + ManualText.paragraph(HelpText.sentence(command.summary)) + details + list(command.options)
    }

    private static func list(_ options: [CommandOption]) -> [String] {
        guard !options.isEmpty else { return [] }
        let entries = options.flatMap { option in
            [".It \(ManualText.option(option))"] + ManualText.paragraph(HelpText.sentence(option.summary))
        }
        return [".Bl -tag -width Ds"] + entries + [".El"]
    }

    private var environment: [String] {
        let sockets = [BrokerSocket.apps, .admin].flatMap { socket in
            let users = commands.filter { $0.socket == socket }.map(\.name).joined(separator: ", ")
            return [".It Ev \(socket.variable)"]
                + ManualText.paragraph("The socket of \(users), where it is not \(socket.defaultPath).")
        }
        return [".Sh ENVIRONMENT", ".Bl -tag -width Ds"] + sockets
            + [".It Ev NO_COLOR", "No colour on a terminal, where it is set and not empty.", ".El"]
    }

    private var files: [String] {
        let paths = [Installation.configurationPath, BrokerSocket.apps.defaultPath, BrokerSocket.admin.defaultPath]
        return [".Sh FILES", ".Bl -tag -width Ds -compact"] + paths.map { ".It Pa \($0)" } + [".El"]
    }

    private var exitStatus: [String] {
        let entries = ExitStatus.documented.flatMap { status, meaning in
            [".It \(status.rawValue)"] + ManualText.paragraph(HelpText.sentence(meaning))
        }
        return [".Sh EXIT STATUS", ".Bl -tag -width Ds -compact"] + entries + [".El"]
    }

    private var seeAlso: [String] {
        [".Sh SEE ALSO", ".Xr tokenbroker.yaml 5 ,", ".Xr tokenbrokerd 8"]
    }
}
