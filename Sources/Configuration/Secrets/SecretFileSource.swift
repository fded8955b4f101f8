public import TokenBroker

/// Long-lived keys from files: those of the operator, and those that the service manager passes in.
public struct SecretFileSource: SecretSource {
    private let credentialsDirectory: String?
    private let daemon: DaemonIdentity

    /// - Parameters:
    ///   - credentialsDirectory: The value of `$CREDENTIALS_DIRECTORY`, where the service manager set it.
    ///   - daemon: Who besides root may own a file, and whose group may read it.
    public init(credentialsDirectory: String?, daemon: DaemonIdentity = .current) {
        self.credentialsDirectory = credentialsDirectory
        self.daemon = daemon
    }

    public func read(_ secret: SecretDefinition) throws(SecretProblem) -> Secret {
        throw SecretProblem(.missing, "secret \(secret.name) is not read yet")
    }
}
