internal import JSON

extension Command {
    static let whoami = Command(
        words: ["whoami"],
        options: [.json],
        socket: .apps,
        summary: "show who you are to the broker",
        details: ["The user, groups, unit and executable that the grants under 'allow' are compared with."],
        run: { (invocation, surroundings) throws(CommandFailure) in
            let answer = try Broker(invocation, surroundings).ask("/v1/whoami")
            return .report(invocation.has(.json) ? answer.report : PeerDescription.report(answer))
        }
    )
}

/// A peer in lines of a name and a value.
enum PeerDescription {
    static func report(_ answer: JSONValue) -> Report {
        let groups = answer["groups"]?.array?.compactMap(\.scalarText).joined(separator: " ") ?? ""
        let facts: [(String, String?)] = [
            ("uid", answer["uid"]?.scalarText),
            ("gid", answer["gid"]?.scalarText),
            ("groups", groups.isEmpty ? nil : groups),
            ("pid", answer["pid"]?.scalarText),
            ("unit", answer["unit"]?.scalarText),
            ("executable", answer["executable"]?.scalarText),
        ]
        return .text(
            facts.map { name, value in
                let padding = String(repeating: " ", count: "executable".count - name.count + 2)
                return name + padding + PrintableText.escaped(value ?? "-")
            }
        )
    }
}
