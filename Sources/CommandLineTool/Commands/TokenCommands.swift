internal import HTTPWire
internal import JSON

extension Command {
    static let tokenRefresh = Command(
        words: ["token", "refresh"],
        operands: [Operand("NAME")],
        socket: .admin,
        summary: "mint a token anew now",
        details: ["The token that is held is served until the new one is there. For root and operators."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let name = try invocation.tokenName()
            let answer = try Broker(invocation, surroundings).ask("/v1/tokens/\(name)/refresh", .post)
            return .report(.text([TokenNews.refreshed(name, answer)]))
        }
    )

    static let tokenDrop = Command(
        words: ["token", "drop"],
        operands: [Operand("NAME")],
        socket: .admin,
        summary: "forget the token that is held",
        details: ["The next one who asks waits for a new one. For root and operators."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let name = try invocation.tokenName()
            let answer = try Broker(invocation, surroundings).ask("/v1/tokens/\(name)", .delete)
            return .report(.text([TokenNews.dropped(name, answer)]))
        }
    )
}

/// What became of a token, in a line.
enum TokenNews {
    static func refreshed(_ name: String, _ answer: JSONValue) -> String {
        var line = "\(name): refreshed"
        if let generation = answer["generation"]?.scalarText { line += ", generation \(generation)" }
        if let seconds = answer["expires_in"]?.number?.int64 {
            line += ", expires \(RelativeTime.text(secondsFromNow: seconds))"
        }
        return PrintableText.escaped(line)
    }

    static func dropped(_ name: String, _ answer: JSONValue) -> String {
        answer["dropped"]?.bool == false ? "\(name): nothing was held" : "\(name): dropped"
    }
}
