import Testing

@testable import EventLoop

@Suite("Timer heap")
struct TimerHeapTests {
    private let loop: EventLoop
    private var heap = TimerHeap()

    init() throws {
        loop = try EventLoop()
    }

    @Test("gives timers out by deadline, and those of one deadline as they were armed")
    mutating func order() {
        let timers = (0..<4).map { _ in loop.timer {} }
        for (timer, deadline) in zip(timers, [30, 10, 30, 20] as [Int64]) { heap.set(timer, deadline: deadline) }
        #expect(heap.popDue(at: 9) == nil)
        #expect(drain(at: 30) == identities([timers[1], timers[3], timers[0], timers[2]]))
    }

    @Test("a timer put off costs nothing now and comes at its new time")
    mutating func postponed() {
        let (early, late) = (loop.timer {}, loop.timer {})
        heap.set(early, deadline: 10)
        heap.set(late, deadline: 20)
        heap.set(early, deadline: 30)
        #expect(heap.earliest == 10, "the entry is left where it was")
        #expect(drain(at: 29) == identities([late]))
        #expect(drain(at: 30) == identities([early]))
    }

    @Test("a timer put off and then brought forward comes at the earlier time")
    mutating func broughtForward() {
        let timer = loop.timer {}
        heap.set(timer, deadline: 10)
        heap.set(timer, deadline: 30)
        heap.set(timer, deadline: 20)
        #expect(heap.popDue(at: 19) == nil)
        #expect(heap.popDue(at: 20) === timer)
        heap.set(timer, deadline: 50)
        heap.set(timer, deadline: 40)
        #expect(heap.popDue(at: 40) === timer)
        #expect(heap.popDue(at: 100) == nil)
    }

    @Test("a cancelled timer is let go of at once")
    mutating func cancelled() {
        weak var forgotten: Timer?
        do {
            let timer = loop.timer {}
            forgotten = timer
            heap.set(timer, deadline: .max)
            heap.remove(timer)
            heap.remove(timer)
            #expect(!timer.isArmed)
        }
        #expect(forgotten == nil)
        #expect(heap.count == 0)
    }

    @Test(
        "agrees with a sorted list through random arming, putting off and cancelling",
        arguments: 0..<20 as Range<UInt64>
    )
    mutating func model(seed: UInt64) {
        var random = SplitMix(state: seed)
        let timers = (0..<50).map { _ in loop.timer {} }
        var deadlines: [Int: Int64] = [:]
        var now: Int64 = 0
        for _ in 0..<2_000 {
            let index = Int.random(in: 0..<timers.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                deadlines[index] = now + Int64.random(in: 1...100, using: &random)
                heap.set(timers[index], deadline: deadlines[index] ?? 0)
            case 2:
                deadlines[index] = nil
                heap.remove(timers[index])
            default:
                now += Int64.random(in: 0...20, using: &random)
                let due = deadlines.filter { $0.value <= now }
                let fired = drain(at: now).map { identity in identities(timers).firstIndex(of: identity) ?? -1 }
                #expect(Set(fired) == Set(due.keys))
                #expect(fired.map { due[$0] ?? -1 } == due.values.sorted())
                for index in fired { deadlines[index] = nil }
            }
            #expect(heap.count == deadlines.count)
        }
    }

    private mutating func drain(at now: Int64) -> [ObjectIdentifier] {
        var due: [ObjectIdentifier] = []
        while let timer = heap.popDue(at: now) { due.append(ObjectIdentifier(timer)) }
        return due
    }

    private func identities(_ timers: [Timer]) -> [ObjectIdentifier] {
        timers.map { ObjectIdentifier($0) }
    }
}

/// A small generator with a seed, so that a failure can be repeated.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
