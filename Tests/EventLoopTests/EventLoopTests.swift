import EventLoop
import Glibc
import TestSupport
import Testing

@Suite("Event loop: descriptors", .blocking)
struct EventLoopDescriptorTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoop()
    }

    @Test("reports what is unread again, turn after turn")
    func levelTriggered() throws {
        let pair = try SocketPair()
        let recorder = Recorder()
        let watch = try loop.watch(pair.near, for: .read, recorder)
        #expect(pair.far.send(text: "bytes") == .bytes(5))
        loop.runOnce()
        loop.runOnce()
        #expect(recorder.told == [.readable, .readable])
        #expect(pair.near.readText() == (.bytes(5), "bytes"))
        loop.runOnce(waiting: false)
        #expect(recorder.told.count == 2)
        loop.unwatch(watch)
    }

    @Test("an event fetched for a closed descriptor never reaches the next owner of its number")
    func staleGeneration() throws {
        // Two ready descriptors: whichever handler runs first closes the other one and opens its number anew.
        let (firstNear, firstFar) = try SocketPair().split()
        let (secondNear, secondFar) = try SocketPair().split()
        let stage = Stage(loop: loop)
        try stage.open(firstNear)
        try stage.open(secondNear)
        for far in [firstFar, secondFar] { #expect(write(far, "x", 1) == 1) }

        loop.runOnce(waiting: false)

        #expect(stage.told.count == 1, "the second event of the turn was stale")
        #expect(stage.reused, "the number came back, or the test shows nothing")
        #expect(stage.toldAfterReuse == 0)
        for number in [firstFar, secondFar] { close(number) }
        stage.closeAll()
    }

    @Test("an ended registration can be ended and changed again without touching its successor")
    func staleWatch() throws {
        let pair = try SocketPair()
        let (first, second) = (Recorder(), Recorder())
        let old = try loop.watch(pair.near, for: .read, first)
        loop.unwatch(old)
        let new = try loop.watch(pair.near, for: .read, second)
        loop.unwatch(old)
        loop.change(old, to: [])
        #expect(pair.far.send(text: "x") == .bytes(1))
        loop.runOnce(waiting: false)
        #expect(first.told.isEmpty)
        #expect(second.told == [.readable])
        loop.unwatch(new)
    }

    @Test("lets go of a handler when its registration ends")
    func releasesHandler() throws {
        let pair = try SocketPair()
        weak var forgotten: Recorder?
        do {
            let recorder = Recorder()
            forgotten = recorder
            loop.unwatch(try loop.watch(pair.near, for: .read, recorder))
        }
        #expect(forgotten == nil)
    }

    @Test("with an empty interest, tells a hang-up once and nothing of arriving bytes")
    func emptyInterest() throws {
        let pair = try SocketPair()
        let (near, far) = pair.split()
        let descriptor = Descriptor(owning: near)
        let recorder = Recorder()
        let watch = try loop.watch(descriptor, for: .read, recorder)
        loop.change(watch, to: [])
        #expect(write(far, "x", 1) == 1)
        loop.runOnce(waiting: false)
        #expect(recorder.told.isEmpty)
        close(far)
        for _ in 0..<3 { loop.runOnce(waiting: false) }
        #expect(recorder.told == [.hungUp])
        loop.unwatch(watch)
    }

    @Test("tells a peer that has finished writing from one that is gone")
    func halfClosed() throws {
        let pair = try SocketPair()
        let (near, far) = pair.split()
        let descriptor = Descriptor(owning: near)
        let recorder = Recorder()
        let watch = try loop.watch(descriptor, for: [.peerClosed], recorder)
        shutdown(far, Int32(SHUT_WR))
        loop.runOnce(waiting: false)
        close(far)
        loop.runOnce(waiting: false)
        #expect(recorder.told == [.peerClosed, [.peerClosed, .hungUp]])
        loop.unwatch(watch)
    }

    @Test("tells that there is room to write")
    func writable() throws {
        let pair = try SocketPair()
        let recorder = Recorder()
        let watch = try loop.watch(pair.near, for: .write, recorder)
        loop.runOnce()
        #expect(recorder.told == [.writable])
        loop.unwatch(watch)
    }

    @Test("a descriptor that cannot be polled is an error and leaves nothing behind")
    func regularFile() throws {
        let file = Descriptor(owning: open("/proc/self/exe", O_RDONLY | O_CLOEXEC))
        weak var forgotten: Recorder?
        do {
            let recorder = Recorder()
            forgotten = recorder
            #expect(throws: SystemError(call: "epoll_ctl", number: EPERM)) {
                _ = try loop.watch(file, for: .read, recorder)
            }
        }
        #expect(forgotten == nil)
    }
}

/// Handlers of which the first one called closes the other's descriptor and watches a new one of the same number.
private final class Stage {
    private let loop: EventLoop
    private var open: [Int32: Watch] = [:]
    private var kept: [Int32] = []
    private(set) var told: [Int32] = []
    private(set) var reused = false
    private(set) var toldAfterReuse = 0

    init(loop: EventLoop) {
        self.loop = loop
    }

    func open(_ number: Int32) throws {
        let descriptor = Descriptor(owning: number)
        open[number] = try loop.watch(descriptor, for: .read, Recorder { [unowned self] in ready(number) })
        _ = descriptor.release()
    }

    private func ready(_ number: Int32) {
        told.append(number)
        for (other, watch) in open where other != number {
            loop.unwatch(watch)
            guard let (replacement, far) = try? SocketPair().split() else { continue }
            kept.append(far)
            reused = dup2(replacement, other) == other
            close(replacement)
            let descriptor = Descriptor(owning: other)
            open[other] = try? loop.watch(descriptor, for: .read, Recorder { [unowned self] in toldAfterReuse += 1 })
            _ = descriptor.release()
        }
    }

    func closeAll() {
        for (number, watch) in open {
            loop.unwatch(watch)
            close(number)
        }
        for number in kept { close(number) }
    }
}
