internal import CLinux
internal import Glibc

/// Runs the posted work when the mailbox wakes the loop.
final class MailboxHandler: ReadinessHandler {
    private let mailbox: Mailbox

    init(_ mailbox: Mailbox) {
        self.mailbox = mailbox
    }

    func ready(_ readiness: Readiness) {
        for work in mailbox.takeAll() { work() }
    }
}

/// The one timerfd behind all timers of a loop.
final class TimerDescriptor: ReadinessHandler {
    let descriptor: Descriptor

    /// What the kernel was last told, until it has fired. It may be too early, which costs one turn for nothing, and is
    /// never too late; so putting off the earliest timer costs no system call.
    private var armedFor: Int64?

    init() throws(SystemError) {
        descriptor = try Descriptor("timerfd_create") { linux_boot_timer() }
    }

    /// Makes sure that the loop wakes up at a deadline.
    ///
    /// - Parameter clock: Read only when the kernel has to be told.
    func wake(at deadline: Int64, clock: () -> Int64) {
        if let armedFor, armedFor <= deadline { return }
        let (delay, overflow) = deadline.subtractingReportingOverflow(clock())
        let result = linux_boot_timer_arm(descriptor.number, overflow ? (deadline < 0 ? 1 : .max) : delay)
        precondition(result == 0, "timerfd_settime fails only by our own fault")
        armedFor = deadline
    }

    func ready(_ readiness: Readiness) {
        var expirations: UInt64 = 0
        _ = read(descriptor.number, &expirations, MemoryLayout.size(ofValue: expirations))
        armedFor = nil
    }
}

/// Notices that the wall clock was set, by hand, by NTP stepping it, or by a resume from suspend.
final class WallClockStepHandler: ReadinessHandler {
    let descriptor: Descriptor
    var onStep: (() -> Void)?

    init() throws(SystemError) {
        descriptor = try Descriptor("timerfd_create") { linux_wall_clock_step_timer() }
        _ = try checked("timerfd_settime") { linux_wall_clock_step_timer_arm(descriptor.number) }
    }

    func ready(_ readiness: Readiness) {
        var expirations: UInt64 = 0
        let result = read(descriptor.number, &expirations, MemoryLayout.size(ofValue: expirations))
        let number = errno
        guard result == -1, number == ECANCELED else { return }
        // Armed again before the callback reads the clock: a second step in between is another event. It reports
        // ECANCELED too when the clock was set since, although it has armed the timer.
        _ = linux_wall_clock_step_timer_arm(descriptor.number)
        onStep?()
    }
}
