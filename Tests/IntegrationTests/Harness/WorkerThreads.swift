import Glibc
import Synchronization
import Testing

/// Runs each test of a suite on a thread that may block.
///
/// A test here mostly waits for other processes. On the cooperative pool, which has a thread a core, two such tests
/// would hold up everything else. The number of threads is also how many tests run at once: more would only compete for
/// the processors. The threads never end, and that matters: a child is killed when the thread that started it is gone
/// (``RunningProcess``).
final class WorkerThreads: TaskExecutor {
    static let shared = WorkerThreads(count: 6)

    private let jobs = Mutex<[UnownedJob]>([])
    /// Counts the jobs. Never freed: the threads wait on it until the process ends.
    private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    private init(count: Int) {
        sem_init(semaphore, 0, 0)
        for _ in 0..<count {
            var thread = pthread_t()
            let context = Unmanaged.passRetained(self).toOpaque()
            pthread_create(&thread, nil, workerThread, context)
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        sem_post(semaphore)
    }

    fileprivate func work() -> Never {
        while true {
            while sem_wait(semaphore) != 0 {}
            let job = jobs.withLock { $0.removeFirst() }
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

private func workerThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<WorkerThreads>.fromOpaque(context!).takeUnretainedValue().work()
}

/// Gives the tests of a suite to ``WorkerThreads``.
struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WorkerThreads.shared) {
            try await function()
        }
    }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> BlockingTrait? {
        testCase == nil ? nil : self
    }
}

extension Trait where Self == BlockingTrait {
    /// The tests wait for other processes.
    static var blocking: BlockingTrait { BlockingTrait() }
}
