/// Work for a later moment, made by `EventLoop.timer(_:)` and used on the loop's thread only.
///
/// A connection keeps one for life and arms it again on each request: putting a timer off costs two stores, no system
/// call and no memory. The loop holds a timer only while it is armed. A timer holds its work for life, so work that uses
/// the timer's owner captures it `unowned` or `weak`.
public final class Timer {
    let work: () -> Void
    private unowned let loop: EventLoop

    // The heap's own notes, read and written by TimerHeap alone.
    var deadline: Int64 = 0
    var order: UInt64 = 0
    var place: Int?

    init(loop: EventLoop, work: @escaping () -> Void) {
        self.loop = loop
        self.work = work
    }

    /// Whether the work is still to come.
    public var isArmed: Bool { place != nil }

    /// Runs the work once, that long after the current turn began; an earlier arming of this timer is forgotten.
    ///
    /// It counts on the boot clock: a deadline that passes during a suspend fires right after it. Never in the current
    /// turn, even for zero, so that work which arms itself again cannot hold up the loop.
    public func arm(after delay: Duration) {
        let (deadline, overflow) = loop.nowNanoseconds.addingReportingOverflow(delay.saturatedNanoseconds)
        arm(atBootNanoseconds: overflow ? (delay < .zero ? .min : .max) : deadline)
    }

    /// Runs the work once at an instant of the boot clock, or in the next turn when that has passed.
    public func arm(atBootNanoseconds deadline: Int64) {
        loop.arm(self, at: deadline)
    }

    /// Forgets the arming; nothing happens when there is none.
    public func cancel() {
        loop.cancel(self)
    }
}
