/// The two sockets of a broker.
enum BrokerSocket: Sendable {
    case apps
    case admin

    var defaultPath: String {
        switch self {
        case .apps: "/run/tokenbroker/apps.sock"
        case .admin: "/run/tokenbroker-admin/admin.sock"
        }
    }

    /// The environment variable that names another path.
    var variable: String {
        switch self {
        case .apps: "TOKENBROKER_SOCKET"
        case .admin: "TOKENBROKER_ADMIN_SOCKET"
        }
    }

    /// What was typed, else what the environment says, else where the package puts it.
    func path(_ invocation: Invocation, _ surroundings: Surroundings) -> String {
        invocation[.socket] ?? surroundings.variable(variable) ?? defaultPath
    }
}
