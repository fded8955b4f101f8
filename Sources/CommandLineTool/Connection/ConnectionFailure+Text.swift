extension ConnectionFailure {
    /// The failure in words, with what to do about it.
    func commandFailure(_ socket: BrokerSocket, path: String) -> CommandFailure {
        switch self {
        case .pathTooLong:
            .usage("the path of a socket has at most 107 bytes: '\(path)'")
        case .notThere(let reason):
            CommandFailure(
                .unavailable,
                [
                    "no broker listens on \(path): \(reason)",
                    "Start it with 'systemctl start \(Installation.unit)', or name another socket with --socket or "
                        + "\(socket.variable).",
                ]
            )
        case .notPermitted:
            CommandFailure(
                .notPermitted,
                ["you may not use \(path): permission denied", Self.help(socket, path: path)]
            )
        case .timedOut:
            CommandFailure(
                .unavailable,
                [
                    "the broker on \(path) did not answer in time",
                    "Its log says why: 'journalctl -u \(Installation.unit)'.",
                ]
            )
        case .unreadable(let reason):
            CommandFailure(
                .unavailable,
                ["what came from \(path) is not a broker's whole answer: \(reason)"]
            )
        }
    }

    /// What lets a user in who was refused by a socket.
    static func help(_ socket: BrokerSocket, path: String) -> String {
        help(socket, group: SocketOwner.group(ofSocketAt: path))
    }

    static func help(_ socket: BrokerSocket, group: String?) -> String {
        switch (socket, group) {
        case (.admin, let group?):
            "Join group '\(group)' and log in again; 'operators' in the configuration must name it or you."
        case (.admin, nil):
            "Only root gets in: name a group under 'operators' in the configuration and join it."
        case (.apps, let group?):
            "Join group '\(group)' and log in again, or have the socket's directory opened to everyone."
        case (.apps, nil):
            "The socket and its directory are meant to be open to everyone (0666 in 0755): have them put right."
        }
    }
}
