internal import TokenBroker

/// What a command may know of where it runs; tests say it, ``Tool`` asks the host.
struct Surroundings: Sendable {
    /// The environment variables that name sockets and decide on colour; no other is looked at.
    static let variableNames = [BrokerSocket.apps.variable, BrokerSocket.admin.variable, "NO_COLOR", "TERM"]

    /// By name, those of them that are set.
    var variables: [String: String] = [:]
    /// The kinds of providers that a configuration is checked against.
    var providerKinds: [ProviderKind] = []
    /// Seconds since 1970 on the host's clock.
    var now: Int64 = 0
    var outputIsTerminal = false
    /// Reads standard input to its end.
    var readInput: @Sendable () throws(CommandFailure) -> [UInt8] = { [] }
    /// Reads a long-lived key from standard input; a terminal is given the prompt and does not show what is typed.
    var readSecret: @Sendable (_ prompt: String) throws(CommandFailure) -> [UInt8] = { _ in [] }

    /// Colour is for a terminal whose user has not said no (https://no-color.org: set and not empty).
    var usesColour: Bool {
        outputIsTerminal && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    }

    /// A variable that is set; an empty one is not.
    func variable(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
