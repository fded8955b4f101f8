import EventLoop
import Synchronization
import TestSupport
import Testing

@Suite("Event loop: threads", .blocking)
struct EventLoopThreadTests {
    @Test("runs posted work in the order each thread posted it, on its own thread")
    func postingOrder() throws {
        let thread = try LoopThread(running: EventLoop(), name: "test loop")
        let loop = thread.loop
        let seen = Mutex<[Int: [Int]]>([:])
        let posters = try (0..<4).map { _ in try LoopThread(running: EventLoop(), name: "poster") }
        for (poster, other) in posters.enumerated() {
            other.loop.post {
                for number in 0..<1_000 {
                    loop.post {
                        loop.assertOnLoopThread()
                        seen.withLock { $0[poster, default: []].append(number) }
                    }
                }
            }
        }
        for poster in posters { poster.stop() }
        thread.stop()
        seen.withLock { seen in
            #expect(seen.count == 4)
            for numbers in seen.values { #expect(numbers == Array(0..<1_000)) }
        }
    }

    @Test("stop asked for before run is not lost, and work posted before it runs")
    func earlyStop() throws {
        let loop = try EventLoop()
        let ran = Atomic(false)
        loop.post { ran.store(true, ordering: .relaxed) }
        loop.stop()
        loop.run()
        let hasRun = ran.load(ordering: .relaxed)
        #expect(hasRun)
    }

    @Test("waits for work to its end, whoever stops the loop meanwhile, and leaves no stop behind")
    func waiting() throws {
        let loop = try EventLoop()
        let value = loop.wait {
            loop.stop()
            // In a later turn than the stop, so that it has come by then.
            await withCheckedContinuation { end in loop.post { loop.post { end.resume() } } }
            return 7
        }
        #expect(value == 7)
        let ran = Atomic(false)
        loop.post { loop.post { ran.store(true, ordering: .relaxed) } }
        loop.post { loop.post { loop.post { loop.stop() } } }
        loop.run()
        let hasRun = ran.load(ordering: .relaxed)
        #expect(hasRun)
    }

    @Test("work posted by posted work waits for the next turn")
    func postingFromWork() throws {
        let loop = try EventLoop()
        let ran = Atomic(0)
        loop.post {
            loop.post { ran.store(2, ordering: .relaxed) }
            ran.store(1, ordering: .relaxed)
        }
        loop.runOnce()
        let first = ran.load(ordering: .relaxed)
        loop.runOnce()
        let second = ran.load(ordering: .relaxed)
        #expect([first, second] == [1, 2])
    }

    @Test("belongs to its maker, then to the thread that runs it")
    func ownership() throws {
        let loop = try EventLoop()
        #expect(loop.isOnLoopThread)
        let thread = try LoopThread(running: loop, name: "owner")
        #expect(!loop.isOnLoopThread)
        let inside = Atomic(false)
        loop.post { inside.store(loop.isOnLoopThread, ordering: .relaxed) }
        thread.stop()
        let wasInside = inside.load(ordering: .relaxed)
        #expect(wasInside)
    }

    @Test("traps when another thread arms a timer")
    func trapsOffThread() async {
        await #expect(processExitsWith: .failure) {
            let thread = try LoopThread(running: EventLoop(), name: "owner")
            thread.loop.schedule(after: .seconds(1)) {}
        }
    }
}
