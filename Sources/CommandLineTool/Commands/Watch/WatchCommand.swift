extension Command {
    static let watch = Command(
        words: ["watch"],
        operands: [Operand("NAME")],
        options: [.endUser],
        socket: .apps,
        summary: "print a token, and each that follows it",
        details: [
            "A line of JSON for each generation: the broker's answer, token included. The first is the present one.",
            "Goes on through restarts of the broker and failures of the provider, of which it tells on standard error, "
                + "until nobody reads its output or the broker says that there is no such token for you.",
        ],
        run: { (invocation, surroundings) throws(CommandFailure) in
            .watch(
                Watch(
                    socketPath: BrokerSocket.apps.path(invocation, surroundings),
                    target: try TokenRequest.target(invocation)
                )
            )
        }
    )
}
