internal import Configuration
internal import EventLoop
internal import Glibc
internal import ServiceManager

/// The two listening sockets: the service manager's where it passed them, else the daemon's own.
struct Sockets {
    let apps: UnixListener
    let admin: UnixListener

    static func open(_ configuration: Configuration, environment: [String: String]) throws -> Sockets {
        let passed = try SocketActivation.take(environment: environment, expected: ["apps", "admin"])
        return Sockets(
            apps: try passed.listener("apps")
                ?? UnixListener(path: configuration.listen.apps, mode: 0o666, directoryMode: 0o755),
            admin: try passed.listener("admin")
                ?? UnixListener(
                    path: configuration.listen.admin,
                    mode: 0o660,
                    // Nobody but root may give it root's group: else it stays the daemon's own.
                    group: configuration.adminGroup ?? (geteuid() == 0 ? 0 : nil),
                    directoryMode: 0o750
                )
        )
    }

    func close() {
        apps.close()
        admin.close()
    }
}

extension SocketActivation {
    fileprivate func listener(_ name: String) throws(ListenerError) -> UnixListener? {
        guard let number = descriptors[name] else { return nil }
        return try UnixListener(adopting: Descriptor(owning: number))
    }
}
