internal import Glibc

/// What holds this process in, as the kernel tells it.
public struct ProcessConfinement: Equatable, Sendable {
    /// As whom it runs.
    public let uid: UInt32
    public let gid: UInt32
    /// Whether a program that it starts could have more rights than it.
    public let mayGainPrivileges: Bool
    /// Whether it may make every system call there is.
    public let mayCallEverything: Bool
    /// Whether it has a right that other users' processes do not have (capabilities(7)).
    public let hasCapabilities: Bool
    /// Whether its own user could trace it, or have its core.
    public let isTraceable: Bool
    /// How many files and sockets it may have open.
    public let openFiles: UInt64

    /// As it is now.
    ///
    /// - Returns: nil where the kernel does not tell, in a `/proc` that is not there.
    public static func current() -> ProcessConfinement? {
        guard let limit = try? ResourceLimit.openFiles.get().soft,
            let status = KernelFile.text(at: "/proc/self/status")
        else { return nil }
        return ProcessConfinement(statusText: status, openFiles: limit)
    }

    /// - Parameter statusText: as of `/proc/self/status` (proc(5)).
    init?(statusText: String, openFiles: UInt64, isTraceable: Bool = ProcessHardening.isTraceable) {
        var fields: [Substring: Substring] = [:]
        for line in statusText.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...].drop(while: \.isWhitespace)
        }
        guard let capabilities = fields["CapEff"].flatMap({ UInt64($0, radix: 16) }) else { return nil }
        uid = geteuid()
        gid = getegid()
        mayGainPrivileges = fields["NoNewPrivs"] != "1"
        mayCallEverything = fields["Seccomp"] != "2"
        hasCapabilities = capabilities != 0
        self.isTraceable = isTraceable
        self.openFiles = openFiles
    }
}
