/// How much a record matters; the words are those of the configuration's `log: { level }`.
///
/// - `error`: someone must act.
/// - `warning`: the service is degraded.
/// - `notice`: started, ready, draining, stopped, reloaded, promoted.
/// - `info`: one audit line a decision.
/// - `debug`: safe to leave on in production.
/// - `trace`: every step.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case error, warning, notice, info, debug, trace

    /// 0 for `error`, growing with detail, so that a level can be compared in one atomic load.
    var verbosity: UInt8 {
        switch self {
        case .error: 0
        case .warning: 1
        case .notice: 2
        case .info: 3
        case .debug: 4
        case .trace: 5
        }
    }

    /// The syslog severity (RFC 5424, 6.2.1), which knows nothing finer than `debug`.
    var syslogPriority: UInt8 {
        switch self {
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug, .trace: 7
        }
    }

    /// A level is less than another when it is the more important one.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.verbosity < right.verbosity
    }
}
