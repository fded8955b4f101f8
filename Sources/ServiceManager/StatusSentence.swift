/// What `systemctl status` shows of a service that keeps several things going: `7 tokens ready, 1 degraded: roadie-user`.
public struct StatusSentence: Sendable, Equatable, CustomStringConvertible {
    /// Those that are not as they should be, and what they are.
    public struct Group: Sendable, Equatable {
        public let state: String
        public let names: [String]

        public init(state: String, names: [String]) {
            self.state = state
            self.names = names
        }
    }

    /// More names than this make no line to read.
    static let mostNames = 3

    public let description: String

    /// - Parameters:
    ///   - ready: how many tokens are as they should be.
    ///   - others: in the order in which they are said; groups without names are left out.
    public init(ready: Int, others: [Group]) {
        let groups = others.filter { !$0.names.isEmpty }
        guard ready > 0 || !groups.isEmpty else {
            description = "no tokens configured"
            return
        }
        let first = ready == 1 ? "1 token ready" : "\(ready) tokens ready"
        description = ([first] + groups.map(Self.text)).joined(separator: ", ")
    }

    private static func text(_ group: Group) -> String {
        let named = group.names.prefix(mostNames).joined(separator: " ")
        let rest = group.names.count - mostNames
        return "\(group.names.count) \(group.state): \(named)" + (rest > 0 ? " and \(rest) more" : "")
    }
}
