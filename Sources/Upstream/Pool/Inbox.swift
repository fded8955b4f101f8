internal import Synchronization

/// What callers hand to a pool's thread.
final class Inbox: Sendable {
    private struct State {
        var submissions: [Submission] = []
        var isClosed = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the thread has done its last work.
    var hasEnded: Bool {
        state.withLock { $0.hasEnded }
    }

    /// - Returns: false when the pool is closed; the submission is then still the caller's.
    func add(_ submission: Submission) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.submissions.append(submission)
            return true
        }
    }

    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Gives the thread what has come since the last time.
    func take() -> (submissions: [Submission], isClosed: Bool) {
        state.withLock { state in
            defer { state.submissions = [] }
            return (state.submissions, state.isClosed)
        }
    }

    func markEnded() {
        state.withLock { $0.hasEnded = true }
    }
}
