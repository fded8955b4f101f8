internal import JSON

extension Command {
    static let list = Command(
        words: ["list"],
        options: [.json],
        socket: .apps,
        summary: "list the tokens you may fetch",
        details: ["Names, kinds and states; never a token."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let answer = try Broker(invocation, surroundings).ask("/v1/tokens")
            return .report(invocation.has(.json) ? answer.report : TokenList.report(answer, surroundings))
        }
    )
}

/// The tokens of a peer as a table.
enum TokenList {
    static func report(_ answer: JSONValue, _ surroundings: Surroundings) -> Report {
        let tokens = answer["tokens"]?.array ?? []
        guard !tokens.isEmpty else {
            return .text([], notes: ["no token is granted to you; '\(Installation.program) whoami' shows who you are"])
        }
        var table = TextTable(["NAME", "KIND", "STATE"])
        for token in tokens {
            table.append([.init(token["name"]), .init(token["kind"]), .init(state: token["state"])])
        }
        return .text(table.lines(usesColour: surroundings.usesColour))
    }
}

extension TextTable.Cell {
    /// What a newer or older broker leaves out is a dash.
    init(_ value: JSONValue?) {
        self.init(value?.scalarText ?? "-")
    }

    /// A token's state: green serves, yellow may come right by itself, red waits for somebody.
    init(state value: JSONValue?) {
        let state = value?.scalarText ?? "-"
        let colour: Colour? =
            switch state {
            case "ready": .green
            case "degraded", "backing_off", "rate_limited", "waiting_for_secret", "suspended": .yellow
            case "secret_rejected", "misconfigured", "session_lost": .red
            default: nil
            }
        self.init(state, colour: colour)
    }
}
