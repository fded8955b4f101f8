#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// A non-blocking Unix stream socket that no child process inherits, closed with its last reference.
final class Descriptor: Sendable {
    let number: Int32

    private init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    #if canImport(Darwin)
        private static let streamType = SOCK_STREAM
    #else
        private static let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    #endif

    static func stream() throws(TransportFailure) -> Descriptor {
        let number = socket(AF_UNIX, streamType, 0)
        guard number >= 0 else { throw .noSocket(systemText(errno)) }
        return prepared(number)
    }

    /// Two sockets that are connected to each other.
    static func pair() throws(TransportFailure) -> (Descriptor, Descriptor) {
        var numbers: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, streamType, 0, &numbers) == 0 else { throw .noSocket(systemText(errno)) }
        return (prepared(numbers[0]), prepared(numbers[1]))
    }

    private static func prepared(_ number: Int32) -> Descriptor {
        #if canImport(Darwin)
            // There a socket is not born so.
            _ = fcntl(number, F_SETFD, FD_CLOEXEC)
            _ = fcntl(number, F_SETFL, O_NONBLOCK)
            var yes: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return Descriptor(number)
    }

    /// The system's words for an error number: `No such file or directory`.
    static func systemText(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        _ = strerror_r(number, &buffer, buffer.count)
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
