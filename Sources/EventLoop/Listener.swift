internal import CLinux
internal import Glibc

/// A socket that connections come in by.
public protocol Listener: AnyObject, Sendable {
    /// Has a handler told when connections wait.
    func watch(on loop: EventLoop, _ handler: any ReadinessHandler) throws(SystemError) -> Watch

    /// Takes the next connection, nonblocking and close-on-exec.
    ///
    /// - Returns: Nothing when none waits.
    func accept() throws(SystemError) -> Descriptor?

    /// Ends the queue where it is this process's own: nobody joins it any more, and those who wait in it can be taken still.
    ///
    /// - Returns: false where those who wait are not this process's to take: somebody else goes on listening for them.
    func endQueue() -> Bool
}

/// Connections the kernel queues while the loop is busy, or pauses for want of descriptors; it caps this at
/// `net.core.somaxconn`, 4096 by default.
let listenBacklog: Int32 = 4096

extension Descriptor {
    func acceptConnection() throws(SystemError) -> Descriptor? {
        let number = number
        do {
            return try Descriptor("accept4") { linux_accept(number) }
        } catch {
            if error.number == EAGAIN { return nil }
            throw error
        }
    }
}
