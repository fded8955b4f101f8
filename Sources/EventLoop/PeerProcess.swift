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
public struct PeerProcess: Sendable {
    /// What the process is in and runs, read in one go.
    let sighting: ProcessSighting
    private let number: Int32
    private let user: UInt32

    /// The system's unit it runs in, such as `api.service`; nothing for a user's own units and sessions.
    public var unit: String? { sighting.unit }

    /// The program it runs; nothing where this process may not look. No boundary against others of the same user, who
    /// can make that program do what they like.
    public var executable: FileIdentity? { sighting.executable }

    /// The kernel's name for that program, as the peer's own view of the files has it: for people to read.
    public var executablePath: String? { sighting.executablePath }

    /// Why nothing is known of a process. Whoever asks has to treat the peer as one that no such grant fits.
    public enum Failure: Error, Equatable, Sendable {
        /// The peer is in another PID namespace.
        case unseen
        /// It has ended, or its number belongs to another process by now.
        case gone
        /// It could not be looked at, for want of descriptors for example.
        case unreadable(SystemError)
    }

    /// Looks at the process that connected. Do it right after accepting.
    ///
    /// - Parameter credentials: Of the same socket.
    public init(of socket: borrowing Descriptor, credentials: PeerCredentials) throws(Failure) {
        try self.init(of: socket, credentials: credentials, forcingStartTime: false)
    }

    /// Looks at a process without the socket that would prove that it is the one that connected: good for telling
    /// somebody what is seen, not for letting anybody in.
    public init(number: Int32, user: UInt32) throws(Failure) {
        try self.init(number: number, user: user, pidfd: { nil }, beforeProof: {})
    }

    /// - Parameters:
    ///   - forcingStartTime: Takes the way of kernels without `SO_PEERPIDFD`.
    ///   - beforeProof: Runs when all is read and nothing is proven.
    init(
        of socket: borrowing Descriptor,
        credentials: PeerCredentials,
        forcingStartTime: Bool,
        beforeProof: () -> Void = {}
    ) throws(Failure) {
        let descriptor = socket.number
        try self.init(
            number: credentials.pid,
            user: credentials.uid,
            pidfd: { () throws(SystemError) in try forcingStartTime ? nil : Self.pidfd(of: descriptor) },
            beforeProof: beforeProof
        )
    }

    private init(
        number: Int32,
        user: UInt32,
        pidfd: () throws(SystemError) -> Descriptor?,
        beforeProof: () -> Void
    ) throws(Failure) {
        guard number > 0 else { throw .unseen }
        self.number = number
        self.user = user
        do throws(SystemError) {
            let pidfd = try pidfd()
            let directory = try ProcessDirectory(of: number)
            sighting = try ProcessSighting(in: directory)
            beforeProof()
            let started = sighting.startTime
            let isSame = if let pidfd { try !Self.hasEnded(pidfd) } else { try directory.startTime() == started }
            guard isSame, try directory.effectiveUser() == user else { throw SystemError(call: "open", number: ESRCH) }
        } catch {
            throw [ESRCH, ENOENT].contains(error.number) ? .gone : .unreadable(error)
        }
    }

    /// Looks again, later. The start time, which the first look proved to be the peer's, names the process now.
    ///
    /// - Returns: Nothing unless it is the same process of the same user, running the same program in the same unit: one
    ///   that has become another program since it connected may have left the socket to whoever it was before.
    public func lookAgain() -> PeerProcess? {
        guard let now = try? PeerProcess(number: number, user: user), now.sighting == sighting else { return nil }
        return now
    }

    /// The kernel's handle on the process that connected; nothing where the kernel has no such option.
    ///
    /// Holding one proves nothing by itself: some kernels give it for a process that has ended.
    private static func pidfd(of socket: Int32) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try Descriptor("getsockopt") { linux_peer_pidfd(socket) }
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
