/// The two Unix sockets, by absolute path.
public struct ListenSettings: Hashable, Sendable {
    /// Open to every user of the host: the kernel's word on the peer decides.
    public let apps: String
    /// For operators and observers.
    public let admin: String

    public init(
        apps: String = "/run/tokenbroker/apps.sock",
        admin: String = "/run/tokenbroker-admin/admin.sock"
    ) {
        self.apps = apps
        self.admin = admin
    }
}
