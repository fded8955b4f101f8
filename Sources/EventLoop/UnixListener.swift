internal import Glibc

/// A listening Unix socket and the life of its file: taken under a lock, born with its final permissions, replaced when
/// its last owner was killed, removed when closed.
public final class UnixListener: Listener {
    private let descriptor: Descriptor
    private let file: SocketFile?
    /// Closed, and the lock with it, only when this object goes: after the file has been removed.
    private let lock: SocketLock?

    /// Makes the socket and listens.
    ///
    /// - Parameters:
    ///   - path: At most 107 bytes.
    ///   - mode: Permissions of the file, such as 0o666; connecting needs the write bit.
    ///   - group: Group of the file, and of the directory where that is made here; the process's own without one.
    ///   - directoryMode: Permissions of the directory, should it be missing. One that is there is left as it is.
    /// - Throws: `alreadyRunning` when another process serves the socket, `notASocket` when another file is in the way.
    public init(
        path: String,
        mode: UInt32,
        group: UInt32? = nil,
        directoryMode: UInt32 = 0o755
    ) throws(ListenerError) {
        let address = try UnixAddress(path: path)
        try ListenerError.wrapping(path) { () throws(SystemError) in
            try makeDirectory(of: path, mode: directoryMode, group: group)
        }
        lock = try SocketLock(besideSocketAt: path)
        let obstacle = try ListenerError.wrapping(path) { () throws(SystemError) in
            try SocketFile.clear(address, path: path)
        }
        if let obstacle { throw ListenerError(obstacle, path: path) }
        let socket = try ListenerError.wrapping(path) { () throws(SystemError) in try UnixAddress.makeSocket() }
        let file = try ListenerError.wrapping(path) { () throws(SystemError) in
            try SocketFile(binding: socket, to: address, path: path)
        }
        let number = socket.number
        descriptor = socket
        self.file = file
        // From here on `deinit` removes the file when something fails.
        try ListenerError.wrapping(path) { () throws(SystemError) in
            try file.open(to: group, mode: mode)
            _ = try checked("listen") { listen(number, listenBacklog) }
        }
    }

    /// Takes over a socket that systemd made and listens on; its file is systemd's and stays.
    ///
    /// - Throws: `notAListener`, with the descriptor closed, for anything but a listening Unix stream socket.
    public init(adopting socket: consuming Descriptor) throws(ListenerError) {
        let number = socket.number
        guard option(SO_DOMAIN, of: number) == AF_UNIX,
            option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue),
            option(SO_ACCEPTCONN, of: number) == 1
        else { throw ListenerError(.notAListener, path: "") }
        try ListenerError.wrapping("") { () throws(SystemError) in
            let flags = try checked("fcntl") { fcntl(number, F_GETFL) }
            _ = try checked("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
            _ = try checked("fcntl") { fcntl(number, F_SETFD, FD_CLOEXEC) }
        }
        descriptor = socket
        file = nil
        lock = nil
    }

    public func watch(on loop: EventLoop, _ handler: any ReadinessHandler) throws(SystemError) -> Watch {
        try loop.watch(descriptor, for: .read, handler)
    }

    public func accept() throws(SystemError) -> Descriptor? {
        try descriptor.acceptConnection()
    }

    public func endQueue() -> Bool {
        close()
        return file != nil
    }

    /// Connects to the socket as a client would, at once or not at all: a full queue is the error `EAGAIN`.
    public func connection() throws(SystemError) -> Descriptor {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let listener = descriptor.number
        let client = try UnixAddress.makeSocket()
        let number = client.number
        _ = try withUnsafeMutablePointer(to: &address) { pointer throws(SystemError) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(SystemError) in
                _ = try checked("getsockname") { getsockname(listener, pointer, &length) }
                _ = try checked("connect") { connect(number, pointer, length) }
            }
        }
        return client
    }

    /// Removes the socket's file, unless it is another's by now, and refuses new connections; those that wait can still be
    /// accepted. An adopted socket stays
    /// as it is: systemd goes on listening on it.
    ///
    /// The lock is kept until the object goes, so that a successor waits for all of this process's work.
    public func close() {
        guard let file else { return }
        file.remove()
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    deinit {
        close()
    }
}

/// Makes the directory a path lies in, if it is missing, closed to others until it is as it should be.
private func makeDirectory(of path: String, mode: UInt32, group: UInt32?) throws(SystemError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return }
    let directory = String(path[..<slash])
    do {
        _ = try checked("mkdir") { mkdir(directory, 0o700) }
    } catch {
        if error.number == EEXIST { return }
        throw error
    }
    if let group {
        _ = try checked("chown") { lchown(directory, uid_t.max, group) }
    }
    _ = try checked("chmod") { chmod(directory, mode) }
}

private func option(_ name: Int32, of socket: Int32) -> Int32? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout.size(ofValue: value))
    return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
}
