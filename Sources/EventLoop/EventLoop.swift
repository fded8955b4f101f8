internal import CLinux
internal import Glibc
internal import Synchronization

/// One thread that waits for descriptors, timers and other threads' work, and runs the handlers of each.
///
/// Level-triggered: what a handler leaves unread is reported again, so it can take a bounded bite each turn and leave
/// fairness to the kernel, and one `recv` a request is enough (edge-triggered, each read would need a second one to
/// see `EAGAIN`). The price, one `epoll_ctl` when an answer does not fit the socket's buffer, is rarely paid.
///
/// Within a turn the order is: descriptors and posted work as the kernel reports them, then timers, so that a peer
/// whose bytes were there in time is not cut off because the loop was late.
///
/// The loop belongs to the thread that runs it, and before that to the thread that made it. Everything but `post`,
/// `stop` and `isOnLoopThread` traps on another thread.
///
/// `@unchecked Sendable`: `mailbox` and `owner` are safe from any thread; all else is touched by the owning thread
/// only, which every entry point checks.
public final class EventLoop: @unchecked Sendable {
    private let clock: @Sendable () -> Int64
    private let owner = Atomic<UInt>(UInt(pthread_self()))
    private let mailbox: Mailbox
    private let timerDescriptor: TimerDescriptor
    private let wallClock: WallClockStepHandler
    private let poller: Poller
    private var table = WatchTable()
    private var timers = TimerHeap()
    private var turnBegan: Int64?
    /// Whether `run` ends with this turn.
    var isStopping = false

    /// Makes a loop that belongs to the calling thread until it is run.
    ///
    /// - Parameter clock: Boot nanoseconds. A test passes its own and drives the loop with `runOnce(waiting: false)`.
    public init(clock: @escaping @Sendable () -> Int64 = SystemClock.bootNanoseconds) throws(SystemError) {
        self.clock = clock
        mailbox = try Mailbox()
        timerDescriptor = try TimerDescriptor()
        wallClock = try WallClockStepHandler()
        poller = try Poller()
        _ = try watch(mailbox.descriptor, for: .read, MailboxHandler(mailbox))
        _ = try watch(timerDescriptor.descriptor, for: .read, timerDescriptor)
        _ = try watch(wallClock.descriptor, for: .read, wallClock)
    }
}

// MARK: - Running

extension EventLoop {
    /// Runs turn after turn on the calling thread, which owns the loop from now on, until `stop`.
    public func run() {
        claim()
        while !isStopping { turn(waiting: true) }
        isStopping = false
    }

    /// Runs one turn on the calling thread, which owns the loop from now on.
    ///
    /// - Parameter waiting: Whether to wait until something happens, or to look once.
    public func runOnce(waiting: Bool = true) {
        claim()
        turn(waiting: waiting)
    }

    /// Ends `run`, from any thread, after all work posted before and the rest of that turn. Asked for before `run`, it
    /// ends it in its first turn.
    public func stop() {
        post { [unowned self] in isStopping = true }
    }

    /// Leaves the loop without an owner until another thread runs it.
    func handOver() {
        assertOnLoopThread()
        owner.store(0, ordering: .relaxed)
    }

    private func claim() {
        owner.store(UInt(pthread_self()), ordering: .relaxed)
    }

    private func turn(waiting: Bool) {
        precondition(turnBegan == nil, "a handler cannot run the loop that runs it")
        if waiting, let earliest = timers.earliest {
            timerDescriptor.wake(at: earliest, clock: clock)
        }
        let count = poller.wait(blocking: waiting)
        let now = clock()
        turnBegan = now
        for index in 0..<count {
            let (watch, readiness) = poller.event(at: index)
            // Looked up anew for each event: an earlier handler of this turn may have ended the registration.
            table.handler(of: watch)?.ready(readiness)
        }
        while let timer = timers.popDue(at: now) { timer.work() }
        turnBegan = nil
    }
}

// MARK: - From any thread

extension EventLoop {
    /// Runs work on the loop's thread, from any thread, in the order it was posted.
    ///
    /// Work posted by posted work runs in a later turn. What is posted after the last turn is let go of with the loop.
    public func post(_ work: @escaping @Sendable () -> Void) {
        mailbox.add(work)
    }

    /// Whether the calling thread is the one that owns the loop.
    public var isOnLoopThread: Bool {
        owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Traps on any other thread than the loop's, in release builds too: the loop's memory safety rests on it.
    public func assertOnLoopThread() {
        precondition(isOnLoopThread, "only on the loop's thread")
    }
}

// MARK: - Descriptors

extension EventLoop {
    /// Tells a handler when a descriptor is ready.
    ///
    /// The loop holds the handler until `unwatch`, which has to come before the descriptor is closed.
    ///
    /// - Returns: What `change` and `unwatch` need.
    /// - Throws: When the kernel has no memory for it, or cannot poll such a descriptor (a regular file).
    public func watch(
        _ descriptor: borrowing Descriptor,
        for interest: Interest,
        _ handler: any ReadinessHandler
    ) throws(SystemError) -> Watch {
        assertOnLoopThread()
        let watch = table.insert(handler, descriptor: descriptor.number, interest: interest)
        do {
            try poller.add(watch, interest)
        } catch {
            _ = table.remove(watch)
            throw error
        }
        return watch
    }

    /// Changes what the handler is told of; costs a system call only when it is something else. Nothing happens after
    /// `unwatch`.
    public func change(_ watch: Watch, to interest: Interest) {
        assertOnLoopThread()
        if table.change(watch, to: interest) { poller.change(watch, to: interest) }
    }

    /// Ends a registration: the handler is not called again, not even for an event that was already fetched. Nothing
    /// happens the second time.
    public func unwatch(_ watch: Watch) {
        assertOnLoopThread()
        if table.remove(watch) { poller.remove(watch) }
    }
}

// MARK: - Time

extension EventLoop {
    /// Boot-clock nanoseconds when the handlers of the current turn began to run; outside a turn, now.
    public var nowNanoseconds: Int64 {
        turnBegan ?? clock()
    }

    /// Makes a timer that is not armed yet.
    public func timer(_ work: @escaping () -> Void) -> Timer {
        Timer(loop: self, work: work)
    }

    /// Makes a timer and arms it.
    ///
    /// - Returns: What is needed to cancel it or put it off; it fires as well when nobody keeps it.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> Timer {
        let timer = timer(work)
        timer.arm(after: delay)
        return timer
    }

    /// Called on the loop's thread whenever the wall clock was set, or the host came back from a suspend.
    public var onWallClockStep: (() -> Void)? {
        get { wallClock.onStep }
        set {
            assertOnLoopThread()
            wallClock.onStep = newValue
        }
    }

    func arm(_ timer: Timer, at deadline: Int64) {
        assertOnLoopThread()
        timers.set(timer, deadline: turnBegan.map { max(deadline, $0 &+ 1) } ?? deadline)
    }

    func cancel(_ timer: Timer) {
        assertOnLoopThread()
        timers.remove(timer)
    }
}
