internal import Glibc

/// The lock beside a socket, `PATH.lock`, held for as long as the socket is served.
///
/// It answers the one question a socket file cannot: is the one who made it still alive? The kernel drops it however
/// its holder dies. `flock` and not `fcntl`: an `fcntl` lock is the process's, so it is lost when any descriptor of the
/// file is closed anywhere in the process, and it would let one process take the same socket twice.
///
/// The file itself stays for good: unlinking it would let two processes hold locks on two files of one name.
enum SocketLock {
    /// - Returns: The descriptor that holds the lock until it is closed.
    /// - Throws: `alreadyRunning` while another one holds it.
    static func take(besideSocketAt path: String) throws(ListenerError) -> Descriptor {
        do throws(SystemError) {
            let descriptor = try Descriptor("open") {
                open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
            }
            _ = try checked("flock") { flock(descriptor.number, LOCK_EX | LOCK_NB) }
            return descriptor
        } catch {
            let code: ListenerError.Code = error.number == EWOULDBLOCK ? .alreadyRunning : .systemCall
            throw ListenerError(code, path: path, cause: error)
        }
    }
}
