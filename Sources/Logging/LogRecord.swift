/// One thing that happened, ready for an output: nothing in it looks like a secret any more.
public struct LogRecord: Sendable, Equatable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: Int64
    public let level: LogLevel
    /// A constant of the program.
    public let message: String
    public let metadata: LogMetadata

    /// Only ``Logger`` makes records, because it redacts.
    init(unixMilliseconds: Int64, level: LogLevel, message: StaticString, metadata: LogMetadata) {
        self.unixMilliseconds = unixMilliseconds
        self.level = level
        self.message = message.description
        self.metadata = metadata
    }
}
