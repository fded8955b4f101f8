/// How much is logged: a record below the level is left out.
public enum LogLevel: String, CaseIterable, Sendable {
    case error
    case warning
    case notice
    case info
    case debug
    case trace
}
