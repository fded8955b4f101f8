/// What the command line asks for.
enum Arguments {
    case run(configuration: String)
    case check(configuration: String)
    case help
    case version

    static let defaultConfiguration = "/etc/tokenbroker/tokenbroker.yaml"

    private enum Option: String, CaseIterable {
        case config = "--config"
        case check = "--check"
        case version = "--version"
        case help = "--help"

        /// With what it takes.
        var shape: String { self == .config ? "\(rawValue) PATH" : rawValue }

        var help: String {
            switch self {
            case .config: "the configuration file (default \(defaultConfiguration))"
            case .check: "validate the configuration and exit"
            case .version: "print the version and exit"
            case .help: "print this and exit"
            }
        }
    }

    static var helpText: String {
        let width = Option.allCases.map(\.shape.count).max() ?? 0
        let options = Option.allCases.map { option in
            "  \(option.shape)\(String(repeating: " ", count: width - option.shape.count))   \(option.help)"
        }
        let statuses = ExitStatus.allCases.map { "\($0.rawValue) \($0.meaning)" }
        return """
            Usage: tokenbrokerd [--config PATH] [--check]

            Mints short-lived access tokens from long-lived keys and serves them over a Unix socket.
            It stays in the foreground; SIGHUP reads the configuration again, SIGTERM stops it.

            \(options.joined(separator: "\n"))

            Exit status: \(statuses.joined(separator: ", ")).
            """
    }

    init(_ arguments: [String]) throws(UsageError) {
        var path = Self.defaultConfiguration
        var checks = false
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch (Option(rawValue: argument == "-h" ? "--help" : parts[0]), parts.count) {
            case (.help, 1):
                self = .help
                return
            case (.version, 1):
                self = .version
                return
            case (.check, 1): checks = true
            case (.config, _):
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("--config needs a path")
                }
                path = value
            default: throw UsageError("'\(argument)' is not an option; --help shows them")
            }
        }
        self = checks ? .check(configuration: path) : .run(configuration: path)
    }
}

/// A command line that makes no sense.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
