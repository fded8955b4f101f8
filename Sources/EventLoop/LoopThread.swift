internal import CLinux
internal import Glibc

/// A thread that does nothing but run a loop.
public final class LoopThread: Sendable {
    public let loop: EventLoop
    private let thread: pthread_t

    /// Hands a loop, with all that was set up on it, to a new thread, which runs it until `stop`.
    ///
    /// - Parameter name: What `top` and a debugger show; the kernel keeps 15 bytes.
    public init(running loop: EventLoop, name: String) throws(SystemError) {
        loop.handOver()
        let start = Unmanaged.passRetained(ThreadStart(loop: loop, name: name))
        var thread = pthread_t()
        let failure = pthread_create(&thread, nil, runLoop, start.toOpaque())
        guard failure == 0 else {
            start.release()
            throw SystemError(call: "pthread_create", number: failure)
        }
        self.loop = loop
        self.thread = thread
    }

    /// Ends the loop after the work posted so far, and waits for its thread. Once only, and not from that thread.
    public func stop() {
        precondition(!loop.isOnLoopThread, "a thread cannot wait for itself")
        loop.stop()
        pthread_join(thread, nil)
    }
}

private final class ThreadStart {
    let loop: EventLoop
    let name: String

    init(loop: EventLoop, name: String) {
        self.loop = loop
        self.name = name
    }
}

/// The thread's body: takes over the reference that was retained for it.
private func runLoop(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let start else { return nil }
    let taken = Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue()
    linux_name_thread(taken.name)
    taken.loop.run()
    return nil
}
