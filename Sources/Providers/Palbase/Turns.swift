internal import Synchronization

/// Lets one piece of work through at a time, in the order in which they came.
final class Turns: Sendable {
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Does `work` when its turn has come. Once begun it goes on to its end, whatever becomes of the caller.
    ///
    /// - Returns: nil where the caller's task was cancelled before that.
    func take<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result? {
        // A caller that was given up before it came must not begin because nobody is before it.
        guard !Task.isCancelled else { return nil }
        let turn = last.withLock { last in
            let turn = Task { [previous = last] () -> Result? in
                await previous?.value
                guard !Task.isCancelled else { return nil }
                // A task of its own, which the cancellation of this one does not reach.
                return await Task { await work() }.value
            }
            last = Task { _ = await turn.value }
            return turn
        }
        return await withTaskCancellationHandler {
            await turn.value
        } onCancel: {
            turn.cancel()
        }
    }
}
