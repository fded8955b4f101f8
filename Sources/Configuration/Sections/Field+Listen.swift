extension Field {
    /// `sun_path` holds 108 bytes, and the last is a NUL.
    private static let longestSocketPath = 107

    /// `listen:`.
    func listen() -> ListenSettings? {
        mapping { reader in
            let defaults = ListenSettings()
            let apps = reader.optional("apps")
            let admin = reader.optional("admin")
            let settings = ListenSettings(
                apps: apps?.socketPath() ?? defaults.apps,
                admin: admin?.socketPath() ?? defaults.admin
            )
            if Self.components(settings.apps) == Self.components(settings.admin) {
                (admin ?? apps)?.refuse("both sockets have this path")
            }
            return settings
        }
    }

    private func socketPath() -> String? {
        guard let path = absolutePath() else { return nil }
        guard path.utf8.count <= Self.longestSocketPath else {
            return refusing("longer than the \(Self.longestSocketPath) bytes that the path of a socket may have")
        }
        return path
    }

    private static func components(_ path: String) -> [Substring] {
        path.split(separator: "/").filter { $0 != "." }
    }
}
