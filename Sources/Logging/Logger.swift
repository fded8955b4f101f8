internal import Synchronization

/// What the parts of the broker write their records to; passed in, never global.
///
///     log.notice("Started", [.version: "1.0"])
///
/// A message is a constant that begins with a capital letter and does not end with a full stop. Metadata is not even
/// built when the level is off. Strings in it pass a redactor, which is the last net and not a licence.
public final class Logger: Sendable {
    private let verbosity: Atomic<UInt8>
    private let output: any LogOutput
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - level: the least important level that is still written.
    ///   - output: where the records go.
    ///   - now: milliseconds since 1970 on the host's clock.
    public init(
        level: LogLevel,
        output: any LogOutput,
        now: @escaping @Sendable () -> Int64 = SystemTime.unixMilliseconds
    ) {
        verbosity = Atomic(level.verbosity)
        self.output = output
        self.now = now
    }

    /// Takes effect at once for every holder of this logger: a reload may change the level.
    public func setLevel(_ level: LogLevel) {
        verbosity.store(level.verbosity, ordering: .relaxed)
    }

    /// Whether a record of this level would be written.
    public func isEnabled(_ level: LogLevel) -> Bool {
        level.verbosity <= verbosity.load(ordering: .relaxed)
    }

    /// Writes one record when the level is on.
    public func log(_ level: LogLevel, _ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        guard isEnabled(level) else { return }
        let facts = metadata().mapStrings { Redactor.redact($0).cut(to: LogLimits.valueBytes) }
        output.write(LogRecord(unixMilliseconds: now(), level: level, message: message, metadata: facts))
    }
}

extension Logger {
    /// Someone must act.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        log(.error, message, metadata())
    }

    /// The service is degraded.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        log(.warning, message, metadata())
    }

    /// Started, ready, draining, stopped, reloaded, promoted.
    public func notice(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        log(.notice, message, metadata())
    }

    /// One audit line a decision.
    public func info(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        log(.info, message, metadata())
    }

    /// For whoever looks for a fault; safe to leave on.
    public func debug(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        log(.debug, message, metadata())
    }

    /// Every step.
    public func trace(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        log(.trace, message, metadata())
    }
}
