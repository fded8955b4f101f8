internal import TokenBroker

/// A pool's thread and the way to reach it.
final class PoolWorker: Sendable {
    private let inbox = Inbox()
    private let multi: MultiHandle
    private let thread: PoolThread

    /// - Throws: when the base URL must not be used, or the system has nothing left to start a pool with.
    init(settings: UpstreamSettings, userAgent: String, clock: any HostClock) throws(UpstreamFailure) {
        guard let origin = Origin(baseURL: settings.baseURL) else {
            throw UpstreamFailure(.invalidRequest, "the base URL is neither https nor http on a loopback address")
        }
        guard let multi = MultiHandle() else { throw UpstreamFailure(.other, "libcurl has no memory for a pool") }
        let inbox = inbox
        let thread = PoolThread {
            var loop = PoolLoop(
                origin: origin,
                settings: settings,
                userAgent: userAgent,
                clock: clock,
                inbox: inbox,
                multi: multi
            )
            loop.run()
        }
        guard let thread else { throw UpstreamFailure(.other, "no thread could be started") }
        self.multi = multi
        self.thread = thread
    }

    /// Whether the thread has done its last work, so that ``join()`` does not wait.
    var hasEnded: Bool { inbox.hasEnded }

    /// Passes a request on, or fails it when the pool has been stopped.
    func submit(_ submission: Submission) {
        if inbox.add(submission) {
            multi.wake()
        } else {
            submission.fail(.closed)
        }
    }

    /// Makes the thread look at what has changed.
    func wake() {
        multi.wake()
    }

    /// Makes the thread fail what it holds and end.
    func stop() {
        inbox.close()
        multi.wake()
    }

    /// Waits for the thread's end; to be called exactly once, after ``stop()``.
    func join() {
        thread.join()
    }
}

extension UpstreamFailure {
    static let closed = UpstreamFailure(.closed, "the client was closed")
}
