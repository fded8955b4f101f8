internal import Glibc

/// Puts a file in place whole: whoever waits for it to appear never reads half of it.
func writeFile(_ path: String, _ bytes: [UInt8]) throws(SimulatorError) {
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw SimulatorError("cannot write \(path)") }
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
    guard close(descriptor) == 0, isWritten, rename(temporary, path) == 0 else {
        unlink(temporary)
        throw SimulatorError("cannot write \(path)")
    }
}
