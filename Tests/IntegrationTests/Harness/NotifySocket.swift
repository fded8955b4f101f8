import Glibc

/// The service manager's end of `NOTIFY_SOCKET`: what the daemon says of itself.
final class NotifySocket {
    let path: String
    private let socket: Int32

    init(_ scratch: Scratch) throws {
        path = scratch.path("notify")
        socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard socket >= 0 else { throw HarnessError.system("socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        guard result == 0 else { throw HarnessError.system("bind") }
    }

    deinit {
        close(socket)
    }

    /// A message that has arrived; nil when there is none.
    func next() throws -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN { return nil }
        guard count >= 0 else { throw HarnessError.system("recv") }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }

    /// Waits for a message that holds this text; those before it are forgotten.
    @discardableResult
    func message(with text: String) throws -> String {
        let deadline = Deadline()
        while true {
            try deadline.wait(for: socket, POLLIN)
            if let message = try next(), message.contains(text) { return message }
        }
    }

    /// Forgets all that has arrived.
    ///
    /// - Returns: How many messages it was.
    @discardableResult
    func forgetAll() throws -> Int {
        var count = 0
        while try next() != nil { count += 1 }
        return count
    }
}
