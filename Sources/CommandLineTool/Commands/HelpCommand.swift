extension Command {
    static let help = Command(
        words: ["help"],
        operands: [Operand("COMMAND", .repeated)],
        summary: "show help on a command",
        run: { (invocation, _) throws(CommandFailure) in
            let topic = try CommandTable.parser.topic(invocation.operands)
            return .report(.text(HelpText(CommandTable.commands).lines(on: topic)))
        }
    )
}
