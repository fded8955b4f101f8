#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

extension Descriptor {
    /// What a call that does not wait came to.
    enum Transfer {
        case bytes(Int)
        case wouldWait
        /// The other side has closed, or the connection is broken.
        case ended
    }

    #if canImport(Darwin)
        private static let sendFlags: Int32 = 0
    #else
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// A socket that is connected to whoever listens at `path`.
    ///
    /// To connect to a Unix socket takes no time: there is a place in the listener's queue or there is none.
    static func connected(to path: String) throws(TransportFailure) -> Descriptor {
        var address = try address(path)
        let socket = try stream()
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if status == 0 { return socket }
        switch errno {
        case EACCES, EPERM: throw .notPermitted
        case let error: throw .notThere(systemText(error))
        }
    }

    func send(_ bytes: ArraySlice<UInt8>) -> Transfer {
        transfer {
            bytes.withUnsafeBytes { sendto(number, $0.baseAddress, $0.count, Self.sendFlags, nil, 0) }
        }
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        let transfer = transfer { recv(number, buffer.baseAddress, buffer.count, 0) }
        if case .bytes(0) = transfer { return .ended }
        return transfer
    }

    private func transfer(_ call: () -> Int) -> Transfer {
        while true {
            let count = call()
            let error = errno
            if count >= 0 { return .bytes(count) }
            switch error {
            case EINTR: continue
            case EAGAIN: return .wouldWait
            default: return .ended
            }
        }
    }

    private static func address(_ path: String) throws(TransportFailure) -> sockaddr_un {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // One byte less than the field: the path ends with a zero.
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw .pathTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return address
    }
}
