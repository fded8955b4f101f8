import Testing
import TokenBroker

@testable import Serving

@Suite("Audit queue")
struct AuditQueueTests {
    private let start = ManualClock.start

    private func entry(_ number: Int) -> AuditEntry {
        AuditEntry(.routine, at: start.wall.advanced(by: .seconds(number)), payload: [])
    }

    @Test("gives what waits in order, no more than a transaction is to write")
    func batches() throws {
        let queue = Queue()
        #expect(queue.next(at: start.boot) == nil)
        for number in 0..<300 { queue.add(entry(number)) }
        let first = try #require(queue.next(at: start.boot))
        #expect(first == AuditQueue.Batch(gap: nil, entries: (0..<256).map(entry)))
        queue.written(first)
        #expect(queue.settled == 256)
        let second = try #require(queue.next(at: start.boot))
        #expect(second.entries == (256..<300).map(entry))
        queue.written(second)
        #expect(queue.settled == queue.added)
        #expect(queue.unwritten == 0)
        #expect(queue.next(at: start.boot) == nil)
    }

    @Test("counts what comes while the store fails, and says so when it works again")
    func outage() throws {
        let queue = Queue()
        for number in 0..<300 { queue.add(entry(number)) }
        let batch = try #require(queue.next(at: start.boot))
        queue.failed(batch, .locked, at: start.boot)
        #expect(queue.settled == 300)
        queue.add(entry(300))
        #expect(queue.unwritten == 301)
        #expect(queue.next(at: start.boot) == nil)
        let later = start.boot.advanced(by: .seconds(1))
        #expect(queue.retryAt == later)
        let retry = try #require(queue.next(at: later))
        let gap = AuditQueue.Gap(count: 301, since: start.wall, reason: "locked")
        #expect(retry == AuditQueue.Batch(gap: gap, entries: []))
        // Still failing: the count grows, and what comes while it is being tried is counted too.
        queue.add(entry(301))
        queue.failed(retry, .full, at: later)
        let last = try #require(queue.next(at: later.advanced(by: .seconds(1))))
        #expect(last.gap == AuditQueue.Gap(count: 302, since: start.wall, reason: "locked"))
        queue.add(entry(302))
        queue.written(last)
        #expect(queue.unwritten == 1)
        // It begins with what was lost last.
        let rest = try #require(queue.next(at: later))
        #expect(rest.gap == AuditQueue.Gap(count: 1, since: entry(302).at, reason: "full"))
        queue.written(rest)
        queue.add(entry(303))
        #expect(queue.next(at: later) == AuditQueue.Batch(gap: nil, entries: [entry(303)]))
    }

    @Test("a gap that is being written counts until it is, and begins with the first that was lost")
    func gapUnderWay() throws {
        let queue = Queue()
        for number in 0..<(AuditQueue.capacity + 3) { queue.add(entry(number)) }
        let batch = try #require(queue.next(at: start.boot))
        let count = AuditQueue.capacity - AuditQueue.rowsPerBatch
        #expect(queue.unwritten == count + 3)
        for number in 0...AuditQueue.rowsPerBatch { queue.add(entry(10_000 + number)) }
        #expect(queue.unwritten == AuditQueue.capacity + 4)
        queue.failed(batch, .full, at: start.boot)
        let all = AuditQueue.capacity + AuditQueue.rowsPerBatch + 4
        #expect(queue.unwritten == all)
        #expect(queue.settled == queue.added)
        let retry = try #require(queue.next(at: start.boot.advanced(by: .seconds(1))))
        #expect(retry.gap?.count == all)
        #expect(retry.gap?.since == entry(AuditQueue.capacity).at)
        #expect(queue.unwritten == all)
    }

    @Test("a gap begins before what waited when the store failed")
    func gapBehindWaiting() throws {
        let queue = Queue()
        queue.add(entry(0))
        let batch = try #require(queue.next(at: start.boot))
        for number in 1...(AuditQueue.capacity + 1) { queue.add(entry(number)) }
        queue.failed(batch, .full, at: start.boot)
        let retry = try #require(queue.next(at: start.boot.advanced(by: .seconds(1))))
        #expect(retry.gap == AuditQueue.Gap(count: AuditQueue.capacity + 2, since: start.wall, reason: "full"))
    }

    @Test("counts what comes when too many wait")
    func overflow() throws {
        let queue = Queue()
        for number in 0..<(AuditQueue.capacity + 3) { queue.add(entry(number)) }
        #expect(queue.unwritten == AuditQueue.capacity + 3)
        let batch = try #require(queue.next(at: start.boot))
        let since = entry(AuditQueue.capacity).at
        #expect(batch.gap == AuditQueue.Gap(count: 3, since: since, reason: "too_many"))
        #expect(batch.entries.count == AuditQueue.rowsPerBatch)
        queue.written(batch)
        #expect(queue.next(at: start.boot)?.gap == nil)
    }
}

/// A queue that can be asked inside of an expectation.
private final class Queue {
    private var queue = AuditQueue()

    var settled: Int { queue.settled }
    var added: Int { queue.added }
    var unwritten: Int { queue.unwritten }
    var retryAt: BootInstant? { queue.retryAt }

    func add(_ entry: AuditEntry) { queue.add(entry) }
    func next(at now: BootInstant) -> AuditQueue.Batch? { queue.next(at: now) }
    func written(_ batch: AuditQueue.Batch) { queue.written(batch) }
    func failed(_ batch: AuditQueue.Batch, _ code: StoreError.Code, at now: BootInstant) {
        queue.failed(batch, code, at: now)
    }
}
