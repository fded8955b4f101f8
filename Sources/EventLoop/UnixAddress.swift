internal import Glibc

/// A Unix socket's address: a path in the file system.
struct UnixAddress {
    /// `sun_path` has 108 bytes, and the last one ends the string. The kernel would take 108 without an end, but hardly
    /// a client library can reach such a socket.
    static let longestPath = 107

    private let address: sockaddr_un

    /// Throws `pathTooLong` or `invalidPath`: a path is never cut short, which would name another socket.
    init(path: String) throws(ListenerError) {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else { throw ListenerError(.invalidPath, path: "") }
        guard bytes.count <= Self.longestPath else { throw ListenerError(.pathTooLong, path: path) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
    }

    /// Makes a nonblocking stream socket.
    static func makeSocket() throws(SystemError) -> Descriptor {
        try Descriptor("socket") {
            socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
    }

    func bind(_ socket: borrowing Descriptor) throws(SystemError) {
        let number = socket.number
        _ = try checked("bind") { withPointer { Glibc.bind(number, $0, $1) } }
    }

    func connect(_ socket: borrowing Descriptor) throws(SystemError) {
        let number = socket.number
        _ = try checked("connect") { withPointer { Glibc.connect(number, $0, $1) } }
    }

    private func withPointer(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            let size = MemoryLayout<sockaddr_un>.size
            return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
