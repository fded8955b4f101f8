extension Command {
    static let status = Command(
        words: ["status"],
        options: [.json],
        socket: .admin,
        summary: "show the broker's tokens and their failures",
        details: ["For root and the operators and observers of the configuration. Never shows a token."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let answer = try Broker(invocation, surroundings).ask("/v1/status")
            return .report(invocation.has(.json) ? answer.report : StatusReport(answer, surroundings).report)
        }
    )
}
