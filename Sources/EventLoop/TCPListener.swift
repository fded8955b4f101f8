internal import Glibc

/// A listening TCP socket on 127.0.0.1, for the simulator and for tests.
public final class TCPListener: Listener {
    private let descriptor: Descriptor

    /// The port it listens on.
    public let port: UInt16

    /// - Parameter port: 0 lets the kernel choose a free one.
    public init(port: UInt16 = 0) throws(SystemError) {
        let socket = try Descriptor("socket") {
            Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
        let number = socket.number
        // A restart need not wait for the last one's connections to leave TIME_WAIT.
        try enable(SO_REUSEADDR, SOL_SOCKET, of: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout.size(ofValue: address))
        _ = try checked("bind") { withPointer(to: &address) { bind(number, $0, size) } }
        _ = try checked("listen") { listen(number, listenBacklog) }
        _ = try checked("getsockname") { withPointer(to: &address) { getsockname(number, $0, &size) } }
        self.port = UInt16(bigEndian: address.sin_port)
        descriptor = socket
    }

    public func watch(on loop: EventLoop, _ handler: any ReadinessHandler) throws(SystemError) -> Watch {
        try loop.watch(descriptor, for: .read, handler)
    }

    public func accept() throws(SystemError) -> Descriptor? {
        guard let connection = try descriptor.acceptConnection() else { return nil }
        // Answers are written whole; waiting for more to send with them (Nagle) only delays them.
        try enable(TCP_NODELAY, Int32(IPPROTO_TCP), of: connection.number)
        return connection
    }

    /// The kernel ends a TCP queue only together with those who wait in it.
    public func endQueue() -> Bool { false }
}

private func enable(_ option: Int32, _ level: Int32, of socket: Int32) throws(SystemError) {
    var on: Int32 = 1
    _ = try checked("setsockopt") { setsockopt(socket, level, option, &on, socklen_t(MemoryLayout.size(ofValue: on))) }
}

private func withPointer(to address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
    withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
}
