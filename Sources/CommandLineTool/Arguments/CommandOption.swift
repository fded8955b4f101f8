/// An option as it is typed and as the help shows it.
struct CommandOption: Hashable, Sendable {
    /// With its dashes.
    let name: String
    /// What the help calls its value; nil for an option that takes none.
    let value: String?
    let summary: String

    init(_ name: String, value: String? = nil, _ summary: String) {
        self.name = name
        self.value = value
        self.summary = summary
    }

    var synopsis: String { value.map { "\(name) \($0)" } ?? name }
}

extension CommandOption {
    static let socket = CommandOption("--socket", value: "PATH", "talk to the broker on this socket")
    static let help = CommandOption("--help", "show help and end")
    static let version = CommandOption("--version", "show the version and end")
    /// What may stand before and after every command.
    static let global = [socket, help, version]

    static let json = CommandOption("--json", "print JSON")
    static let field = CommandOption("--field", value: "FIELD", "print this field of the answer instead of the token")
    static let reset = CommandOption("--reset", "go back to what the configuration file says")
    static let header = CommandOption("--header", "print 'Authorization: Bearer TOKEN'")
    static let endUser = CommandOption("--end-user", value: "ID", "the user of the app that the token is for")
    static let minimumLifetime = CommandOption(
        "--min-ttl",
        value: "DURATION",
        "ask for a token with at least this long to live: 90, 60s, 5m, 1h30m"
    )
    static let variable = CommandOption("--env", value: "VAR", "the variable's name (default ACCESS_TOKEN)")
}
