internal import CLinux
internal import Glibc

/// What is known of a peer's process beyond its credentials, proven to be of the process that connected.
///
/// `/proc` is asked by number, and numbers are used again: a peer that ends right after connecting may have been
/// followed by another process. So the order is fixed. First something that names the process for good, then all
/// reading, then the proof that it was alive throughout and still has the peer's user.
///
/// Where the kernel gives no pidfd (before Linux 6.5) that something is the start time, read after accepting: a number
/// used again before that moment, by a process of the same user, is not noticed.
public struct PeerProcess: Equatable, Sendable {
    /// The system's service it runs in, such as `api.service`; nothing for a user's own units and sessions.
    public let unit: String?

    /// The program it runs; nothing where this process may not look. No boundary against others of the same user, who
    /// can make that program do what they like.
    public let executable: FileIdentity?

    /// Why nothing is known of a process. Whoever asks has to treat the peer as one that no such grant fits.
    public enum Failure: Error, Equatable, Sendable {
        /// The peer is in another PID namespace.
        case unseen
        /// It has ended, or its number belongs to another process by now.
        case gone
        /// It could not be looked at, for want of descriptors for example.
        case unreadable(SystemError)
    }

    /// - Parameters:
    ///   - credentials: Of the same socket.
    ///   - forcingStartTime: Takes the way of kernels without `SO_PEERPIDFD`, for tests.
    public init(
        of socket: borrowing Descriptor,
        credentials: PeerCredentials,
        forcingStartTime: Bool = false
    ) throws(Failure) {
        guard credentials.pid > 0 else { throw .unseen }
        do throws(SystemError) {
            let pidfd = try forcingStartTime ? nil : Self.pidfd(of: socket)
            let directory = try ProcessDirectory(of: credentials.pid)
            let started = try directory.startTime()
            unit = ControlGroup.systemUnit(in: try directory.controlGroups())
            executable = try? directory.executable()
            let user = try directory.effectiveUser()
            let isSame = if let pidfd { try !Self.hasEnded(pidfd) } else { try directory.startTime() == started }
            guard isSame, user == credentials.uid else { throw SystemError(call: "open", number: ESRCH) }
        } catch {
            throw [ESRCH, ENOENT].contains(error.number) ? .gone : .unreadable(error)
        }
    }

    /// The kernel's handle on the process that connected; nothing where the kernel has no such option.
    ///
    /// Holding one proves nothing by itself: some kernels give it for a process that has ended.
    private static func pidfd(of socket: borrowing Descriptor) throws(SystemError) -> Descriptor? {
        let number = socket.number
        do throws(SystemError) {
            return try Descriptor("getsockopt") { linux_peer_pidfd(number) }
        } catch {
            if error.number == ENOPROTOOPT { return nil }
            throw error
        }
    }

    /// A pidfd is readable once its process has ended.
    private static func hasEnded(_ pidfd: borrowing Descriptor) throws(SystemError) -> Bool {
        var request = pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0)
        return try checked("poll") { poll(&request, 1, 0) } != 0
    }
}
