internal import Synchronization

/// Keeps the records, for tests: what was written, and that no secret was.
public final class MemoryLogOutput: LogOutput {
    private let kept = Mutex<[LogRecord]>([])

    public init() {}

    public func write(_ record: LogRecord) {
        kept.withLock { $0.append(record) }
    }

    /// All records so far, the oldest first.
    public var records: [LogRecord] {
        kept.withLock { $0 }
    }

    /// All records as the lines standard error would have got.
    public var text: String {
        records.map { LineFormat.line($0) }.joined()
    }
}
