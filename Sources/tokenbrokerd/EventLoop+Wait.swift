internal import EventLoop

extension EventLoop {
    /// Runs the loop until `work` has come to its end. For a loop that does not run yet.
    func wait<Value: Sendable>(for work: @escaping @Sendable () async -> Value) -> Value {
        let result = Handover<Value>()
        Task {
            result.value = await work()
            stop()
        }
        run()
        guard let value = result.value else { preconditionFailure("the loop was stopped by somebody else") }
        return value
    }
}

/// Carries a value from a task to the thread that waits for it.
///
/// `@unchecked Sendable`: written before the loop is told to stop and read after it has, which the loop's own
/// synchronization orders.
private final class Handover<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}
