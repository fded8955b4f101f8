internal import Glibc

/// A thread of a pool's own; it must be joined exactly once.
struct PoolThread: Sendable {
    private let thread: pthread_t

    /// - Returns: nil when the system allows no further thread.
    init?(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(ThreadBody(body))
        guard pthread_create(&thread, nil, runThread, context.toOpaque()) == 0 else {
            context.release()
            return nil
        }
        self.thread = thread
    }

    func join() {
        pthread_join(thread, nil)
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// Blocks every signal first: they are the main thread's, libcurl's resolver threads inherit the mask, and a write to a
/// connection that is gone must be an error and not a SIGPIPE.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_SETMASK, &signals, nil)
    Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
