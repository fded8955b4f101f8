internal import Glibc

extension StandardStream {
    /// More than any command reads: what is typed or piped here is JSON of a few kilobytes.
    private static let longestInput = 1 << 20

    /// Reads all that comes.
    ///
    /// - Throws: a failure where it cannot be read, or goes on for too long.
    func readToEnd() throws(CommandFailure) -> [UInt8] {
        var input: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let (count, error) = SystemError.retryingInterrupts {
                buffer.withUnsafeMutableBytes { read(rawValue, $0.baseAddress, $0.count) }
            }
            guard count >= 0 else { throw .usage("cannot read standard input: \(SystemError.text(error))") }
            guard count > 0 else { return input }
            input += buffer.prefix(count)
            guard input.count <= Self.longestInput else { throw .usage("standard input is longer than 1 MiB") }
        }
    }
}
