internal import Glibc

/// The file a Unix socket is reached by, known by device and inode: the name alone may belong to somebody else by now.
struct SocketFile {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Binds a socket to a path at which there is nothing; the file is closed to all.
    ///
    /// The socket's own mode is cleared first, and Linux makes the file with that mode, so it is born 0000. `umask`
    /// would do it as well, but it belongs to the whole process.
    init(binding socket: borrowing Descriptor, to address: UnixAddress, path: String) throws(SystemError) {
        let number = socket.number
        _ = try checked("fchmod") { fchmod(number, 0) }
        try address.bind(socket)
        let status = try Self.status(of: path)
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// Gives the file its group, and only then its mode. Before `listen`: there is no moment in which the socket is
    /// open to more than it should be.
    func open(to group: UInt32?, mode: UInt32) throws(SystemError) {
        if let group {
            _ = try checked("chown") { lchown(path, uid_t.max, group) }
        }
        _ = try checked("chmod") { chmod(path, mode) }
    }

    /// Unlinks the file if it is still the one that was made here.
    func remove() {
        guard let status = try? Self.status(of: path), status.st_dev == device, status.st_ino == inode else { return }
        // A directory that is not ours any more, after a change of user, keeps the file; the next start replaces it.
        _ = Glibc.unlink(path)
    }

    /// Makes room at a path whose lock is held: a socket nobody serves is unlinked.
    ///
    /// - Returns: What is in the way: `notASocket` for any other file, `alreadyRunning` for a socket that answers all
    ///   the same (one that systemd made, for example, is served without our lock).
    static func clear(_ address: UnixAddress, path: String) throws(SystemError) -> ListenerError.Code? {
        do {
            guard try status(of: path).st_mode & S_IFMT == S_IFSOCK else { return .notASocket }
            if try isServed(address) { return .alreadyRunning }
            _ = try checked("unlink") { Glibc.unlink(path) }
            return nil
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    private static func isServed(_ address: UnixAddress) throws(SystemError) -> Bool {
        let probe = try UnixAddress.makeSocket()
        do {
            try address.connect(probe)
            return true
        } catch {
            switch error.number {
            case ECONNREFUSED: return false
            case EAGAIN: return true  // its queue is full
            default: throw error
            }
        }
    }

    private static func status(of path: String) throws(SystemError) -> stat {
        var status = stat()
        _ = try checked("lstat") { lstat(path, &status) }
        return status
    }
}
