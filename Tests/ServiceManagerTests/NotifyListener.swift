import Glibc
import Testing

/// The service manager's end of `NOTIFY_SOCKET`.
final class NotifyListener {
    /// What the service finds in its environment.
    let environment: [String: String]
    private let descriptor: Int32
    private let path: String?

    /// - Parameter abstract: whether the socket has an abstract name instead of a path.
    init(abstract: Bool = false) throws {
        let name = "tokenbroker-notify-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let path = "\(P_tmpdir)/\(name)"
        self.path = abstract ? nil : path
        environment = ["NOTIFY_SOCKET": abstract ? "@\(name)" : path]
        descriptor = try boundSocket(type: SOCK_DGRAM, name: abstract ? [0] + Array(name.utf8) : Array(path.utf8) + [0])
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The assignments of the next datagram that has already arrived; nil when there is none.
    func receive() -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// A Unix socket bound to a name: a path with its zero byte, or an abstract name behind one.
func boundSocket(type: __socket_type, name: [UInt8]) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
    try #require(descriptor >= 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = try #require(MemoryLayout.offset(of: \sockaddr_un.sun_path)) + name.count
    let bound = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    try #require(bound == 0)
    return descriptor
}
