internal import Glibc

/// One process's directory in `/proc`, held open: should the process end, reading fails instead of showing the next
/// process of that number.
struct ProcessDirectory: ~Copyable {
    /// More than any file read here holds.
    private static let longestFile = 16_384

    private let descriptor: Descriptor

    init(of pid: Int32) throws(SystemError) {
        descriptor = try Descriptor("open") { open("/proc/\(pid)", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    /// When the process started, in clock ticks since the host did: field 22 of `stat`. Together with its number it
    /// names a process for good.
    ///
    /// - Throws: `ESRCH` also for one that has ended and waits for its parent to notice.
    func startTime() throws(SystemError) -> UInt64 {
        // The second field is the program's name in brackets, which may hold spaces and brackets itself; the third, the
        // state, is the first one after it.
        let fields = try text(of: "stat").split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 19, let ticks = UInt64(fields[19]) else { throw SystemError(call: "read", number: EINVAL) }
        guard fields[0] != "Z", fields[0] != "X" else { throw SystemError(call: "read", number: ESRCH) }
        return ticks
    }

    /// The process's effective user, which is what `SO_PEERCRED` gives too: the kernel shows it as the directory's
    /// owner, also of a process that may not be traced. Meaningless once the process has ended.
    func effectiveUser() throws(SystemError) -> UInt32 {
        let directory = descriptor.number
        var status = stat()
        _ = try checked("fstat") { fstat(directory, &status) }
        return status.st_uid
    }

    func controlGroups() throws(SystemError) -> String {
        try text(of: "cgroup")
    }

    /// The program it runs. Reading it of another user takes `CAP_SYS_PTRACE`.
    func executable() throws(SystemError) -> FileIdentity {
        try FileIdentity(directory: descriptor.number, path: "exe")
    }

    /// The path by which it was started, `… (deleted)` where that leads elsewhere by now.
    func executablePath() throws(SystemError) -> String {
        let directory = descriptor.number
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = try checked("readlink") {
            bytes.withUnsafeMutableBytes { Int32(readlinkat(directory, "exe", $0.baseAddress!, $0.count)) }
        }
        return String(decoding: bytes.prefix(Int(length)), as: UTF8.self)
    }

    /// - Throws: `EFBIG` for a longer file: half a line would name another group.
    private func text(of name: String) throws(SystemError) -> String {
        let directory = descriptor.number
        let file = try Descriptor("open") { openat(directory, name, O_RDONLY | O_CLOEXEC) }
        var bytes = [UInt8](repeating: 0, count: Self.longestFile)
        var length = 0
        while length < bytes.count {
            let count = try checked("read") {
                bytes.withUnsafeMutableBytes { buffer in
                    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[length...])
                    return Int32(read(file.number, room.baseAddress, room.count))
                }
            }
            if count == 0 { break }
            length += Int(count)
        }
        guard length < bytes.count else { throw SystemError(call: "read", number: EFBIG) }
        return String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}
