internal import TokenBroker

/// One account's connections, seen from the callers' side.
final class ConnectionPool: HTTPSender {
    private let settings: UpstreamSettings
    private let clock: any HostClock
    private let worker: PoolWorker

    init(settings: UpstreamSettings, clock: any HostClock, worker: PoolWorker) {
        self.settings = settings
        self.clock = clock
        self.worker = worker
    }

    deinit {
        worker.stop()
    }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        let cancellation = CancellationFlag()
        let deadline = clock.now().boot.advanced(by: settings.timeout)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                worker.submit(
                    Submission(
                        request: request,
                        deadline: deadline,
                        cancellation: cancellation,
                        continuation: continuation
                    )
                )
            }
        } onCancel: {
            cancellation.set()
            worker.wake()
        }
        return try result.get()
    }
}
