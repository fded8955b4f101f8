internal import Synchronization
internal import TokenBroker

/// A request on its way from a caller's task to the pool's thread.
struct Submission: Sendable {
    let request: UpstreamRequest
    /// When the caller has waited long enough, by the boot clock.
    let deadline: BootInstant
    let cancellation: CancellationFlag
    /// Resumed exactly once, by whoever holds the submission last.
    let continuation: CheckedContinuation<Result<UpstreamResponse, UpstreamFailure>, Never>

    func fail(_ failure: UpstreamFailure) {
        continuation.resume(returning: .failure(failure))
    }
}

/// Whether the caller's task was cancelled; a flag, as the cancellation can come before the submission does.
final class CancellationFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }

    func set() {
        flag.store(true, ordering: .releasing)
    }
}
