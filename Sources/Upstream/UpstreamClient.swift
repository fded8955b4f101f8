internal import Synchronization
public import TokenBroker

/// The way out to the providers: HTTPS by libcurl.
///
/// Each pool has its own connections and its own thread. libcurl compares connections by host, not by the certificates
/// that a caller trusts, so that a shared pool could serve one account over a connection that another one's settings
/// allowed; and a thread that is busy for one provider cannot delay another's.
///
/// `HTTPS_PROXY`, `https_proxy`, `ALL_PROXY` and `NO_PROXY` are read from the environment as libcurl does; a loopback base
/// URL never goes through a proxy.
public final class UpstreamClient: Sendable {
    private struct State {
        var workers: [PoolWorker] = []
        var isClosed = false
    }

    let clock: any HostClock
    private let userAgent: String
    private let state = Mutex(State())

    /// - Parameters:
    ///   - clock: tells the moments in answers, and when a request has waited long enough for a connection.
    ///   - userAgent: the `User-Agent` header, without control bytes.
    public init(clock: any HostClock, userAgent: String) {
        self.clock = clock
        self.userAgent = userAgent
    }

    /// Opens a pool of its own for one account. Its connections end with the last reference to it, or with ``close()``.
    ///
    /// A pool that cannot be opened fails every request with the reason.
    public func pool(for settings: UpstreamSettings) -> any HTTPSender {
        joinEndedWorkers()
        do throws(UpstreamFailure) {
            return try openPool(for: settings)
        } catch {
            return RefusingSender(failure: error)
        }
    }

    /// Ends all transfers and waits until the threads have ended; what is sent afterwards fails as `closed`.
    public func close() {
        let workers = state.withLock { state in
            defer { state.workers = [] }
            state.isClosed = true
            return state.workers
        }
        workers.forEach { $0.stop() }
        workers.forEach { $0.join() }
    }

    /// Gives back the threads of pools that nobody holds any more.
    private func joinEndedWorkers() {
        let ended = state.withLock { state in
            let firstEnded = state.workers.partition(by: \.hasEnded)
            defer { state.workers.removeSubrange(firstEnded...) }
            return Array(state.workers[firstEnded...])
        }
        ended.forEach { $0.join() }
    }

    private func openPool(for settings: UpstreamSettings) throws(UpstreamFailure) -> any HTTPSender {
        let worker = try PoolWorker(settings: settings, userAgent: userAgent, clock: clock)
        let isOpen = state.withLock { state in
            if !state.isClosed { state.workers.append(worker) }
            return !state.isClosed
        }
        guard isOpen else {
            worker.stop()
            worker.join()
            throw .closed
        }
        return ConnectionPool(settings: settings, clock: clock, worker: worker)
    }
}
