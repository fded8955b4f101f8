internal import Glibc

/// The lock beside a socket, `PATH.lock`, held for as long as the socket is served.
///
/// It answers the one question a socket file cannot: is the one who made it still alive? The kernel drops it however
/// its holder dies. `flock` and not `fcntl`: an `fcntl` lock is the process's, so it is lost when any descriptor of the
/// file is closed anywhere in the process, and it would let one process take the same socket twice.
///
/// The file itself stays for good: unlinking it would let two processes hold locks on two files of one name.
struct SocketLock: ~Copyable {
    private let descriptor: Descriptor

    /// - Throws: `alreadyRunning` while another one holds it.
    init(besideSocketAt path: String) throws(ListenerError) {
        do throws(SystemError) {
            let file = try Descriptor("open") {
                open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
            }
            let number = file.number
            _ = try checked("flock") { flock(number, LOCK_EX | LOCK_NB) }
            descriptor = file
        } catch {
            let code: ListenerError.Code = error.number == EWOULDBLOCK ? .alreadyRunning : .systemCall
            throw ListenerError(code, path: path, cause: error)
        }
    }

    deinit {
        // Closing alone is not enough: a child between its fork and its exec still shares the lock.
        _ = flock(descriptor.number, LOCK_UN)
    }
}
