extension Command {
    static let exec = Command(
        words: ["exec"],
        operands: [Operand("NAME"), Operand("COMMAND", .afterDashes)],
        options: [.variable] + TokenRequest.options,
        socket: .apps,
        summary: "run a command with a token in its environment",
        details: [
            "Becomes COMMAND with the token in the environment variable \(ExecCommand.defaultVariable), or the one that "
                + "--env names; the token is never an argument. The exit status is COMMAND's; 127 where there is no "
                + "such command, 126 where it cannot be run.",
            "The token is not renewed while COMMAND runs: ask for enough life with --min-ttl.",
        ],
        run: ExecCommand.run
    )
}

private enum ExecCommand {
    static let defaultVariable = "ACCESS_TOKEN"

    @Sendable static func run(
        _ invocation: Invocation,
        _ surroundings: Surroundings
    ) throws(CommandFailure) -> Outcome {
        let variable = invocation[.variable] ?? defaultVariable
        guard isVariableName(variable) else {
            throw .usage(
                "\(CommandOption.variable.name) takes letters, digits and '_', no digit first",
                of: variable
            )
        }
        let target = try TokenRequest.target(invocation)
        let answer = try Broker(invocation, surroundings).ask(target)
        let token = try TokenRequest.accessToken(answer)
        return .execute(Execution(program: invocation.program, variable: variable, token: token))
    }

    /// The names that every shell can read (POSIX, Base Definitions, section 8.1).
    private static func isVariableName(_ text: String) -> Bool {
        text.first?.isNumber == false && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
