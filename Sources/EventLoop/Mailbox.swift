internal import CLinux
internal import Glibc
internal import Synchronization

/// Work other threads hand to the loop, and the eventfd that wakes it.
final class Mailbox: Sendable {
    typealias Work = @Sendable () -> Void

    let descriptor: Descriptor
    private let waiting = Mutex<[Work]>([])

    init() throws(SystemError) {
        descriptor = try Descriptor("eventfd") { linux_eventfd() }
    }

    /// Adds work from any thread; only the first of a batch wakes the loop.
    func add(_ work: @escaping Work) {
        let wasEmpty = waiting.withLock { waiting in
            waiting.append(work)
            return waiting.count == 1
        }
        guard wasEmpty else { return }
        // The counter is at most the number of batches, far from where a write would block.
        var one: UInt64 = 1
        _ = write(descriptor.number, &one, MemoryLayout.size(ofValue: one))
    }

    /// Takes all waiting work, in the order it was added.
    ///
    /// The counter is reset before the list is taken: work added in between wakes the loop once for nothing, the other
    /// way round it would not wake it at all.
    func takeAll() -> [Work] {
        var count: UInt64 = 0
        _ = read(descriptor.number, &count, MemoryLayout.size(ofValue: count))
        return waiting.withLock { waiting in
            let all = waiting
            waiting = []
            return all
        }
    }
}
