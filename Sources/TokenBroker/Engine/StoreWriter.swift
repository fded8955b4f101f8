/// Gives the store its work in the order it came, one piece after the other, without anybody waiting for it.
///
/// What the store refuses is not tried again here: it tells when it works again, and then everything is saved anew.
final class StoreWriter: Sendable {
    typealias Work = @Sendable (any Store) async -> Void

    private let queue: AsyncStream<Work>.Continuation
    private let worker: Task<Void, Never>

    init(_ store: any Store) {
        let (stream, queue) = AsyncStream.makeStream(of: Work.self)
        self.queue = queue
        worker = Task {
            for await work in stream { await work(store) }
        }
    }

    func add(_ work: @escaping Work) {
        queue.yield(work)
    }

    /// Takes no more work and waits until all that was added is done.
    func finish() async {
        queue.finish()
        await worker.value
    }
}
