internal import Glibc

/// One of the streams that the program was started with.
enum StandardStream: Int32, Sendable {
    case input = 0
    case output = 1
    case error = 2

    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// Whether nobody can read any more what is written to it: a pipe's or a socket's other end is closed.
    var isReaderGone: Bool {
        var state = pollfd(fd: rawValue, events: 0, revents: 0)
        return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLERR) != 0
    }

    /// Writes all of it.
    ///
    /// - Returns: the `errno` that stopped it, or nil.
    func write(_ bytes: [UInt8]) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let (count, error) = SystemError.retryingInterrupts {
                rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            }
            guard count >= 0 else { return error }
            rest = rest.dropFirst(count)
        }
        return nil
    }
}
