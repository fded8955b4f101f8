import EventLoop
import TestSupport
import Testing

@Suite("Event loop: time", .blocking)
struct EventLoopTimeTests {
    private let clock: ManualClock
    private let loop: EventLoop

    init() throws {
        let clock = ManualClock()
        self.clock = clock
        loop = try EventLoop(clock: { clock.read() })
    }

    @Test("runs timers in the order of their deadlines, each once, none early")
    func order() {
        var fired: [String] = []
        loop.schedule(after: .seconds(3)) { fired.append("third") }
        loop.schedule(after: .seconds(1)) { fired.append("first") }
        loop.schedule(after: .seconds(2)) { fired.append("second") }
        advance(.milliseconds(999))
        #expect(fired.isEmpty)
        advance(.milliseconds(1))
        #expect(fired == ["first"])
        advance(.seconds(10))
        advance(.seconds(10))
        #expect(fired == ["first", "second", "third"])
    }

    @Test("a timer cancelled by another one of the same turn does not run")
    func cancelled() {
        var fired = 0
        let second = loop.timer { fired += 1 }
        loop.schedule(after: .seconds(1)) { second.cancel() }
        second.arm(after: .seconds(1))
        advance(.seconds(5))
        #expect(fired == 0)
        #expect(!second.isArmed)
    }

    @Test("a timer armed again by its own work waits for the next turn, even with no delay")
    func rearming() {
        var fired = 0
        var timer: Timer?
        timer = loop.timer {
            fired += 1
            timer?.arm(after: .zero)
        }
        timer?.arm(after: .zero)
        for turn in 1...3 {
            advance(.nanoseconds(1))
            #expect(fired == turn)
        }
        timer?.cancel()
        timer = nil
    }

    @Test("an absurd delay neither traps nor fires", arguments: [Duration.seconds(Int64.max), .nanoseconds(Int64.max)])
    func farAway(delay: Duration) {
        var fired = false
        loop.schedule(after: delay) { fired = true }
        advance(.seconds(1_000_000))
        #expect(!fired)
    }

    @Test("bytes that were there in time are handled before a deadline that has passed")
    func descriptorsFirst() throws {
        var order: [String] = []
        let pair = try SocketPair()
        let watch = try loop.watch(pair.near, for: .read, Recorder { order.append("bytes") })
        loop.schedule(after: .seconds(1)) { order.append("deadline") }
        #expect(pair.far.send(text: "x") == .bytes(1))
        advance(.seconds(2))
        #expect(order == ["bytes", "deadline"])
        loop.unwatch(watch)
    }

    @Test("time stands still within a turn")
    func cachedNow() {
        var seen: [Int64] = []
        loop.schedule(after: .seconds(1)) { [loop, clock] in
            seen.append(loop.nowNanoseconds)
            clock.advance(by: .seconds(7))
            seen.append(loop.nowNanoseconds)
        }
        advance(.seconds(1))
        #expect(seen == [2_000_000_000, 2_000_000_000])
        #expect(loop.nowNanoseconds == 9_000_000_000)
    }

    @Test("sleeps in the kernel until the earliest deadline, also after an earlier timer was put off")
    func realClock() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        let timer = loop.schedule(after: .milliseconds(1)) { fired.append("put off") }
        timer.arm(after: .milliseconds(3))
        loop.schedule(after: .milliseconds(2)) { fired.append("earlier") }
        while fired.count < 2 { loop.runOnce() }
        #expect(fired == ["earlier", "put off"])
    }

    @Test("wakes for a timer that is earlier than the one it had gone to sleep for")
    func earlierTimer() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        let late = loop.schedule(after: .seconds(5)) { fired.append("late") }
        loop.post {}
        loop.runOnce()
        loop.schedule(after: .milliseconds(1)) { fired.append("early") }
        while fired.isEmpty { loop.runOnce() }
        #expect(fired == ["early"])
        late.cancel()
    }

    private func advance(_ duration: Duration) {
        clock.advance(by: duration)
        loop.runOnce(waiting: false)
    }
}
