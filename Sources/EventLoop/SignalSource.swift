internal import CLinux
internal import Glibc

/// A signal the daemon listens to.
public enum Signal: Sendable, CaseIterable {
    case hangUp, interrupt, terminate, userDefined1, userDefined2

    var number: Int32 {
        switch self {
        case .hangUp: SIGHUP
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .userDefined1: SIGUSR1
        case .userDefined2: SIGUSR2
        }
    }
}

/// Signals as events of a loop: their handler is ordinary code, not code inside an interrupted system call.
public final class SignalSource: ReadinessHandler {
    private let descriptor: Descriptor
    private var onSignal: (Signal) -> Void = { _ in }

    /// Blocks the signals in the calling thread and in all threads it starts later, and keeps them until `deliver`.
    ///
    /// Call it first thing on the main thread: a thread started before could still be killed by one.
    public init(_ signals: [Signal]) throws(SystemError) {
        let numbers = signals.map(\.number)
        descriptor = try Descriptor("signalfd") { linux_signal_descriptor(numbers, numbers.count) }
    }

    /// Hands the signals, those that came since included, to a callback on the loop's thread. Once only.
    public func deliver(on loop: EventLoop, _ onSignal: @escaping (Signal) -> Void) throws(SystemError) {
        self.onSignal = onSignal
        _ = try loop.watch(descriptor, for: .read, self)
    }

    public func ready(_ readiness: Readiness) {
        while let signal = next() { onSignal(signal) }
    }

    private func next() -> Signal? {
        let number = linux_next_signal(descriptor.number)
        return Signal.allCases.first { $0.number == number }
    }
}
