internal import Glibc

/// A file that is kept open, only to know it and to keep its inode its own: reading it takes no right here.
///
/// As long as a file is open its inode's number is given to no other, even after its last name is gone.
final class HeldFile: Sendable {
    /// Linux's number for it, which the Glibc module does not show.
    private static let pathOnly: Int32 = 0x20_0000

    let attributes: FileAttributes
    let device: UInt64
    let inode: UInt64
    private let descriptor: Int32

    /// - Throws: ``SystemError`` when it is not there.
    init(_ path: String) throws(SystemError) {
        descriptor = open(path, Self.pathOnly | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        attributes = FileAttributes(status)
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    deinit {
        close(descriptor)
    }
}
