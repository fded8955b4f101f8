internal import CSystemd
internal import Glibc

/// The listening sockets systemd opened for the service (sd_listen_fds(3)), found by name: their order is that of the
/// socket units and says nothing.
public struct SocketActivation: Sendable, Equatable {
    /// The descriptors by the name their socket unit gives them in `FileDescriptorName=`. Whoever takes one closes it.
    public let descriptors: [String: Int32]

    /// systemd passes descriptors from here on.
    static let firstDescriptor: Int32 = 3
    /// More than any unit of ours passes; a number beyond it is not systemd's.
    static let maximumCount: Int32 = 64

    /// Takes over what was passed, once: the variables are gone afterwards, so that no child believes they are its own.
    ///
    /// To be called before there is a second thread, because it changes the environment.
    ///
    /// - Parameters:
    ///   - environment: of the process; `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
    ///   - expected: the names the service serves. Another one is an error, because connections to that socket would
    ///     wait for ever; one that was not passed is the caller's to open.
    /// - Returns: no descriptors when nothing was passed to this very process.
    /// - Throws: when the variables contradict each other, or a descriptor is not a listening Unix stream socket.
    public static func take(
        environment: [String: String],
        expected: Set<String>
    ) throws(SocketActivationError) -> SocketActivation {
        try take(environment: environment, expected: expected, first: firstDescriptor, process: getpid())
    }

    /// How many descriptors from 3 on belong to the service manager; 0 for variables that are not for this process or
    /// make no sense. ``ProcessHardening`` leaves these open.
    public static func passedCount(environment: [String: String]) -> Int32 {
        (try? passed(environment: environment, process: getpid())) ?? 0
    }

    static func take(
        environment: [String: String],
        expected: Set<String>,
        first: Int32,
        process: Int32
    ) throws(SocketActivationError) -> SocketActivation {
        ProcessEnvironment.remove(["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"])
        let count = try passed(environment: environment, process: process)
        guard count > 0 else { return SocketActivation(descriptors: [:]) }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard names.count == count else { throw .namesDoNotMatch(names: names.count, descriptors: Int(count)) }
        var descriptors: [String: Int32] = [:]
        for (descriptor, name) in zip(first..<(first + count), names.map(String.init)) {
            guard expected.contains(name) else { throw .unexpectedName(name, expected: expected.sorted()) }
            guard descriptors.updateValue(descriptor, forKey: name) == nil else { throw .duplicateName(name) }
            try adopt(descriptor, name: name)
        }
        return SocketActivation(descriptors: descriptors)
    }

    /// The number of descriptors meant for this process.
    private static func passed(environment: [String: String], process: Int32) throws(SocketActivationError) -> Int32 {
        guard let receiver = environment["LISTEN_PID"], let text = environment["LISTEN_FDS"] else { return 0 }
        guard let pid = Int32(receiver) else { throw .malformedVariable("LISTEN_PID") }
        guard pid == process else { return 0 }
        guard let count = Int32(text), (0...maximumCount).contains(count) else {
            throw .malformedVariable("LISTEN_FDS")
        }
        return count
    }

    private static func adopt(_ descriptor: Int32, name: String) throws(SocketActivationError) {
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .notOpen(name, descriptor: descriptor) }
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            throw .notAListeningUnixSocket(name, descriptor: descriptor)
        }
    }
}
