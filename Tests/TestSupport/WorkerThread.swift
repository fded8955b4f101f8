import Glibc
import Synchronization

/// A thread that runs the jobs of one test after the other.
///
/// It never ends, and that matters: a test may have the kernel kill its children with the thread that started them.
final class WorkerThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    /// Counts the jobs. Never freed: the thread waits on it until the process ends.
    private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() {
        sem_init(semaphore, 0, 0)
        var thread = pthread_t()
        pthread_create(&thread, nil, workerThread, Unmanaged.passRetained(self).toOpaque())
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
    Unmanaged<WorkerThread>.fromOpaque(context!).takeUnretainedValue().work()
}
