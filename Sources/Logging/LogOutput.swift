/// Where records go.
public protocol LogOutput: Sendable {
    /// Takes one record. It is called on any thread, the event loop's included, and so waits for nobody; what cannot be
    /// written is dropped.
    func write(_ record: LogRecord)
}
