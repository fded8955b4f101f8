internal import Glibc

/// Why a listening socket could not be had.
public struct ListenerError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: Sendable {
        /// The path is longer than the 107 bytes a Unix socket's address holds.
        case pathTooLong
        /// The path is empty or has a zero byte in it.
        case invalidPath
        /// Something that is not a socket is at the path; it is left alone.
        case notASocket
        /// Another process serves this socket. The daemon exits 75.
        case alreadyRunning
        /// What was handed over is not a listening Unix stream socket.
        case notAListener
        /// A system call failed; `cause` says which.
        case systemCall
    }

    public let code: Code

    /// The socket's path; empty for a socket that has none.
    public let path: String

    /// The system call behind it, if one failed.
    public let cause: SystemError?

    init(_ code: Code, path: String, cause: SystemError? = nil) {
        self.code = code
        self.path = path
        self.cause = cause
    }

    public static func == (left: ListenerError, right: ListenerError) -> Bool {
        left.code == right.code
    }

    public var description: String {
        let reason =
            switch code {
            case .pathTooLong: "the path is longer than \(UnixAddress.longestPath) bytes"
            case .invalidPath: "the path is empty or has a zero byte in it"
            case .notASocket: "something that is not a socket is there"
            case .alreadyRunning: "another process serves it"
            case .notAListener: "not a listening Unix stream socket"
            case .systemCall: cause.map(Self.reason) ?? "a system call failed"
            }
        return path.isEmpty ? reason : "\(path): \(reason)"
    }

    private static func reason(_ cause: SystemError) -> String {
        // Nothing but a group is given away here, and chown(2) says whose right that is.
        let isGroupRefused = "\(cause.call)" == "chown" && cause.number == EPERM
        return "\(cause)" + (isGroupRefused ? ": only root, or a member of the group, may give it to that group" : "")
    }

    /// Runs system calls on behalf of the socket at a path.
    static func wrapping<Result: ~Copyable>(
        _ path: String,
        _ body: () throws(SystemError) -> Result
    ) throws(ListenerError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw ListenerError(.systemCall, path: path, cause: error)
        }
    }
}
