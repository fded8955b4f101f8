/// What the command line asks for.
enum Arguments {
    case run(configuration: String)
    case check(configuration: String)
    case help
    case version

    static let defaultConfiguration = "/etc/tokenbroker/tokenbroker.yaml"

    static let helpText = """
        Usage: tokenbrokerd [--config PATH] [--check]

        Mints short-lived access tokens from long-lived keys and serves them over a Unix socket.
        It stays in the foreground; SIGHUP reads the configuration again, SIGTERM stops it.

          --config PATH   the configuration file (default \(defaultConfiguration))
          --check         validate the configuration and exit
          --version       print the version and exit
          --help          print this and exit

        Exit status: 0 stopped cleanly, 64 usage, 70 failure, 75 another instance is alive, 78 configuration.
        """

    init(_ arguments: [String]) throws(UsageError) {
        var path = Self.defaultConfiguration
        var checks = false
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                self = .help
                return
            case "--version":
                self = .version
                return
            case "--check": checks = true
            case "--config":
                guard let value = rest.popFirst() else { throw UsageError("--config needs a path") }
                path = value
            case _ where argument.hasPrefix("--config="): path = String(argument.dropFirst("--config=".count))
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
