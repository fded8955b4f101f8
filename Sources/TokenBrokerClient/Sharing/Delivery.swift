internal import Synchronization

/// A result that one side waits for and another brings. The first that comes counts, and the end of the wait by
/// cancellation is one.
final class Delivery<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case closed(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    /// Whether nobody waits any more.
    var isClosed: Bool {
        state.withLock {
            if case .closed = $0 { true } else { false }
        }
    }

    /// Waits for the result; once only.
    ///
    /// - Parameter onCancel: called after the wait has ended because its task was cancelled.
    /// - Throws: what was brought, or `CancellationError` at once when the task is cancelled.
    func value(onCancel: @Sendable () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<Value, any Error>? = state.withLock {
                    if case .closed(let result) = $0 { return result }
                    $0 = .awaited(continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            close(with: .failure(CancellationError()))
            onCancel()
        }
    }

    func close(with result: Result<Value, any Error>) {
        let continuation: CheckedContinuation<Value, any Error>? = state.withLock { state in
            switch state {
            case .closed: return nil
            case .open:
                state = .closed(result)
                return nil
            case .awaited(let continuation):
                state = .closed(result)
                return continuation
            }
        }
        continuation?.resume(with: result)
    }
}
