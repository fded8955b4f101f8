/// Where systemd puts what the unit names by `LoadCredential=` (systemd.exec(5)).
public struct CredentialsDirectory: Sendable, Equatable {
    /// An absolute path.
    public let path: String

    /// Nil when the service was started without credentials.
    public init?(environment: [String: String]) {
        guard let path = environment["CREDENTIALS_DIRECTORY"], path.hasPrefix("/") else { return nil }
        self.path = path
    }
}
