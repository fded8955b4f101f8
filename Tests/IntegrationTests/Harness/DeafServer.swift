import Glibc

/// A port that is listened on and speaks no language: whoever comes is counted and sent away.
final class DeafServer {
    private let socket: Int32
    /// Fill the queue of one that takes nobody.
    private var fillers: [Int32] = []

    /// - Parameter takesNobody: Its queue is full, so that the kernel answers nobody who connects: a black hole.
    init(_ address: String, _ port: UInt16, takesNobody: Bool = false) throws {
        let isSix = address.contains(":")
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        socket = Glibc.socket(isSix ? AF_INET6 : AF_INET, type, 0)
        guard socket >= 0 else { throw HarnessError.system("socket") }
        var storage = sockaddr_storage()
        let size = isSix ? Self.fillSix(&storage, address, port) : Self.fillFour(&storage, address, port)
        let socket = socket
        let result = withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        guard result == 0, listen(socket, takesNobody ? 0 : 16) == 0 else {
            close(socket)
            throw HarnessError.system("bind to \(address)")
        }
        guard takesNobody else { return }
        for _ in 0..<4 {
            let filler = Glibc.socket(isSix ? AF_INET6 : AF_INET, type, 0)
            fillers.append(filler)
            _ = withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, size) }
            }
        }
    }

    deinit {
        for filler in fillers { close(filler) }
        close(socket)
    }

    /// How many came since the last time.
    func visitors() -> Int {
        var count = 0
        while true {
            let visitor = accept(socket, nil, nil)
            guard visitor >= 0 else { return count }
            close(visitor)
            count += 1
        }
    }

    private static func fillFour(_ storage: inout sockaddr_storage, _ text: String, _ port: UInt16) -> socklen_t {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, text, &address.sin_addr)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        return socklen_t(MemoryLayout<sockaddr_in>.size)
    }

    private static func fillSix(_ storage: inout sockaddr_storage, _ text: String, _ port: UInt16) -> socklen_t {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, text, &address.sin6_addr)
        withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }
}
