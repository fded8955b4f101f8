import Synchronization

/// The threads that tests may block: as many as there may be such tests at once, in all targets together.
///
/// More would only compete for the processors, and make each other late.
final class WorkerThreads: Sendable {
    static let shared = WorkerThreads(count: 6)

    private struct State {
        var idle: [WorkerThread]
        /// Tests that wait for a thread, the first one first.
        var waiting: [CheckedContinuation<WorkerThread, Never>] = []
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(idle: (0..<count).map { _ in WorkerThread() }))
    }

    /// Runs something on a thread that nobody else has meanwhile, as soon as there is one.
    func run(_ body: () async throws -> Void) async rethrows {
        let thread = await take()
        defer { giveBack(thread) }
        try await withTaskExecutorPreference(thread) { try await body() }
    }

    private func take() async -> WorkerThread {
        await withCheckedContinuation { continuation in
            let thread: WorkerThread? = state.withLock { state in
                if state.idle.isEmpty {
                    state.waiting.append(continuation)
                    return nil
                }
                return state.idle.removeLast()
            }
            if let thread { continuation.resume(returning: thread) }
        }
    }

    private func giveBack(_ thread: WorkerThread) {
        let next: CheckedContinuation<WorkerThread, Never>? = state.withLock { state in
            if state.waiting.isEmpty {
                state.idle.append(thread)
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: thread)
    }
}
