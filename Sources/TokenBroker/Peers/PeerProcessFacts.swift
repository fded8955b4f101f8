/// What is known of a peer's process beyond its credentials.
public struct PeerProcessFacts: Sendable {
    /// The system's unit it runs in, such as `api.service`; nil where it is in none.
    public let unit: String?
    /// The program it runs; nil where that may not be seen.
    public let executable: ExecutableFile?
    /// The kernel's name for that program, for people to read: whoever mounts or renames files chooses it.
    public let executablePath: String?

    public init(unit: String? = nil, executable: ExecutableFile? = nil, executablePath: String? = nil) {
        self.unit = unit
        self.executable = executable
        self.executablePath = executablePath
    }
}

/// The port to a peer's process, held for its connection.
public protocol ProcessWitness: Sendable {
    /// Looks at the process anew: it may have become another since it connected, or have ended and left the connection
    /// to somebody else.
    ///
    /// - Returns: nil unless everything is as it was when the process connected.
    func look() -> PeerProcessFacts?
}
