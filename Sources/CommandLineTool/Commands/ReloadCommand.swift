internal import HTTPWire
internal import JSON

extension Command {
    static let reload = Command(
        words: ["reload"],
        socket: .admin,
        summary: "have the broker read its configuration again",
        details: ["Where it has a fault nothing changes, and each fault is printed. For root and operators."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let answer = try Broker(invocation, surroundings).ask("/v1/reload", .post)
            let warnings = answer["warnings"]?.array?.compactMap(\.string) ?? []
            return .report(.text(["configuration reloaded"], notes: warnings.map { "warning: \($0)" }))
        }
    )
}
