internal import CLinux
internal import Glibc

/// A system call that failed: its name and `errno`, nothing of its arguments, so it is safe for any reader.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The system call's name, as its manual page has it.
    public let call: StaticString

    /// The value of `errno`.
    public let number: Int32

    public init(call: StaticString, number: Int32) {
        self.call = call
        self.number = number
    }

    /// Two failures are the same when the kernel gave the same reason.
    public static func == (left: SystemError, right: SystemError) -> Bool {
        left.number == right.number
    }

    public var description: String {
        "\(call): \(String(cString: linux_error_text(number)))"
    }

    /// Whether the process or the host is out of descriptors or of memory for sockets: waiting may help.
    public var isShortage: Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number)
    }
}

/// Runs a system call again while a signal interrupts it, and turns -1 into an error.
///
/// `errno` is read in the statement after the call, before anything can change it.
func checked(_ call: StaticString, _ body: () -> Int32) throws(SystemError) -> Int32 {
    while true {
        let result = body()
        let number = errno
        if result != -1 { return result }
        if number != EINTR { throw SystemError(call: call, number: number) }
    }
}
