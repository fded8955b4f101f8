internal import Glibc

/// One blocking connection to a Unix stream socket.
struct UnixSocket: ~Copyable {
    private let descriptor: Int32

    deinit {
        close(descriptor)
    }

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Connects to whoever listens at `path`.
    static func connected(to path: String, by deadline: Deadline) throws(ConnectionFailure) -> UnixSocket {
        let address = try address(path)
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .notThere(SystemError.text(errno)) }
        let socket = UnixSocket(descriptor: descriptor)
        // The time to send bounds the wait for a place in the listener's queue too (unix(7)).
        try socket.limit(SO_SNDTIMEO, by: deadline)
        let (status, error) = SystemError.retryingInterrupts {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Int(connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)))
                }
            }
        }
        switch (status, error) {
        case (0, _): return socket
        case (_, EACCES), (_, EPERM): throw .notPermitted
        case (_, EAGAIN): throw .timedOut
        default: throw .notThere(SystemError.text(error))
        }
    }

    /// Sends everything, or as much as the other side takes.
    ///
    /// A server may answer and close before it has read the whole request; its answer is then still to be read, so a
    /// closed connection is no failure here.
    func send(_ bytes: [UInt8], by deadline: Deadline) throws(ConnectionFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            try limit(SO_SNDTIMEO, by: deadline)
            let (count, error) = SystemError.retryingInterrupts {
                rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch error {
            case EAGAIN: throw .timedOut
            case EPIPE, ECONNRESET: return
            default: throw .unreadable(SystemError.text(error))
            }
        }
    }

    /// Reads what has come, at least a byte.
    ///
    /// - Returns: how many bytes; 0 when the other side has closed.
    func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        by deadline: Deadline
    ) throws(ConnectionFailure) -> Int {
        try limit(SO_RCVTIMEO, by: deadline)
        let (count, error) = SystemError.retryingInterrupts {
            recv(descriptor, buffer.baseAddress, buffer.count, 0)
        }
        if count >= 0 { return count }
        switch error {
        case EAGAIN: throw .timedOut
        // A server that closes with bytes of the request unread resets the connection.
        case ECONNRESET: return 0
        default: throw .unreadable(SystemError.text(error))
        }
    }

    private func limit(_ option: Int32, by deadline: Deadline) throws(ConnectionFailure) {
        guard var time = deadline.remaining else { throw .timedOut }
        setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private static func address(_ path: String) throws(ConnectionFailure) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // One byte less than the field: the path ends with a zero.
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .pathTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }
}
