extension Command {
    static let top = Command(
        words: ["top"],
        socket: .admin,
        summary: "show the status again and again, the worst token first",
        details: [
            "On a terminal, once a second until 'q' or Ctrl-C; elsewhere, once. For root and the operators and observers "
                + "of the configuration. Never shows a token."
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let status = try Broker(invocation, surroundings).ask("/v1/status")
            guard surroundings.outputIsTerminal else {
                return .report(StatusReport(StatusOrder.worstFirst(status), surroundings).report)
            }
            return .top(
                Top(
                    socketPath: BrokerSocket.admin.path(invocation, surroundings),
                    variables: surroundings.variables
                )
            )
        }
    )
}
