#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Starts the thread that a client's sockets are on.
enum SocketThread {
    /// - Throws: where the system has no thread to give.
    static func start(path: String, mailbox: SocketMailbox) throws(TransportFailure) {
        let start = Unmanaged.passRetained(Start(path: path, mailbox: mailbox))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        // Nobody joins it: it ends by an order.
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // A new thread inherits the mask of the one that makes it: the app's signals are not for this one to handle.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let failure = pthread_create(&thread, &attributes, runSocketLoop, start.toOpaque())
        guard failure == 0 else {
            start.release()
            throw .noSocket(Descriptor.systemText(failure))
        }
    }

    fileprivate final class Start {
        let path: String
        let mailbox: SocketMailbox

        init(path: String, mailbox: SocketMailbox) {
            self.path = path
            self.mailbox = mailbox
        }
    }

    /// The thread's body: takes over the reference that was retained for it.
    fileprivate static func run(_ start: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
        var loop = SocketLoop(path: start.path, mailbox: start.mailbox)
        loop.run()
    }
}

#if canImport(Darwin)
    private func runSocketLoop(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        SocketThread.run(start)
        return nil
    }
#else
    private func runSocketLoop(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let start { SocketThread.run(start) }
        return nil
    }
#endif
