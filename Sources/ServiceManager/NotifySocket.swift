internal import Glibc

/// The datagram socket at which a service manager listens.
struct NotifySocket: Sendable {
    /// How long a send may wait for a busy service manager. A lost READY would fail the start, a blocked thread would
    /// stop the service.
    private static let patienceSeconds = 1

    private let address: sockaddr_un
    private let length: socklen_t

    /// Nil for what is neither an absolute path nor an abstract name, or does not fit an address.
    init?(address text: String) {
        var bytes = Array(text.utf8)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        switch bytes.first {
        case UInt8(ascii: "@") where bytes.count > 1: bytes[0] = 0
        case UInt8(ascii: "/"): bytes.append(0)
        default: return nil
        }
        guard bytes.count <= capacity else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        self.address = address
        // An abstract name is all bytes up to this length, so it must not count the unused ones.
        length = socklen_t(MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count)
    }

    /// Sends one datagram on a socket of its own: notifications are rare, and no descriptor has to be kept open.
    func send(_ message: [UInt8]) throws(SystemCallError) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemCallError("socket") }
        defer { close(descriptor) }
        var patience = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let sent = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        guard sent == message.count else { throw SystemCallError("sendto") }
    }
}
