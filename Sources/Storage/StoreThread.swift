internal import Glibc

/// The one thread on which everything of a store runs: SQLite waits for locks and disks, and the threads that Swift shares
/// between all tasks must not.
///
/// Everything in it is guarded by `mutex`, which makes the class safe to share.
final class StoreThread: SerialExecutor, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t> = .allocate(capacity: 1)
    private let hasWork: UnsafeMutablePointer<pthread_cond_t> = .allocate(capacity: 1)
    private var jobs: [UnownedJob] = []
    private var isStopping = false

    /// Starts the thread. It keeps this object alive until ``stop()``.
    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(hasWork, nil)
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, runStoreThread, Unmanaged.passRetained(self).toOpaque())
        precondition(failure == 0, "no thread for the store: \(String(cString: strerror(failure)))")
        pthread_detach(thread)
    }

    deinit {
        pthread_cond_destroy(hasWork)
        pthread_mutex_destroy(mutex)
        hasWork.deallocate()
        mutex.deallocate()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        locked { jobs.append(job) }
    }

    /// Ends the thread when it has done what is queued. Nothing may be queued afterwards.
    func stop() {
        locked { isStopping = true }
    }

    fileprivate func run() {
        while let batch = next() {
            for job in batch { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    /// Waits for work; nil when there is none left and none will come.
    private func next() -> [UnownedJob]? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isStopping { return nil }
            pthread_cond_wait(hasWork, mutex)
        }
        defer { jobs = [] }
        return jobs
    }

    private func locked(_ body: () -> Void) {
        pthread_mutex_lock(mutex)
        body()
        pthread_cond_signal(hasWork)
        pthread_mutex_unlock(mutex)
    }
}

/// The thread's body: takes over the reference that was retained for it.
private func runStoreThread(_ thread: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let thread else { return nil }
    Unmanaged<StoreThread>.fromOpaque(thread).takeRetainedValue().run()
    return nil
}
