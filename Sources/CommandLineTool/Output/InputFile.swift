internal import Glibc

/// What a command is given to read: a file by its name, or standard input.
enum InputFile {
    /// More than any command reads: what is typed, piped or named here is JSON of a few kilobytes.
    private static let longest = 1 << 20

    /// Reads the file whole.
    static func contents(_ path: String) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .usage("cannot read '\(path)': \(SystemError.text(errno))") }
        defer { close(descriptor) }
        return try contents(descriptor, "'\(path)'")
    }

    /// Reads all that comes from a descriptor.
    ///
    /// - Parameter name: what a failure calls it.
    static func contents(_ descriptor: Int32, _ name: String) throws(CommandFailure) -> [UInt8] {
        var input: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (count, error) = SystemError.retryingInterrupts {
                buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            }
            guard count >= 0 else { throw .usage("cannot read \(name): \(SystemError.text(error))") }
            guard count > 0 else { return input }
            input += buffer.prefix(count)
            guard input.count <= longest else { throw .usage("\(name) is longer than 1 MiB") }
        }
    }
}
