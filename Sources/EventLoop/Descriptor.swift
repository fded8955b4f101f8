internal import Glibc

/// A file descriptor with exactly one owner: it is closed when its owner lets go of it, and never twice.
///
/// Remove it from the loop (`EventLoop.unwatch`) before that happens.
public struct Descriptor: ~Copyable, Sendable {
    /// The kernel's number for it, good only while this value lives.
    public let number: Int32

    /// Takes over an open descriptor; nobody else may close it from now on.
    public init(owning number: Int32) {
        precondition(number >= 0, "not a descriptor")
        self.number = number
    }

    /// Gives the descriptor away without closing it.
    ///
    /// - Returns: The number, which the caller now has to close.
    public consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        // Not repeated on EINTR: Linux has released the number by then, and another thread may already own it.
        _ = Glibc.close(number)
    }
}

extension Descriptor {
    /// Makes a descriptor out of a system call's result.
    init(_ call: StaticString, _ body: () -> Int32) throws(SystemError) {
        self.init(owning: try checked(call, body))
    }
}

extension Descriptor {
    /// The same socket or file under the lowest number that is free, where that is lower.
    consuming func renumbered() -> Descriptor {
        let number = number
        guard let other = try? Descriptor("fcntl", { fcntl(number, F_DUPFD_CLOEXEC, 0) }), other.number < number else {
            return self
        }
        return other
    }
}
