internal import Glibc

/// A file as the kernel knows it, whatever its names.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The file at a path, through symbolic links.
    public init(ofFileAt path: String) throws(SystemError) {
        try self.init(directory: AT_FDCWD, path: path)
    }

    init(directory: Int32, path: String) throws(SystemError) {
        var status = stat()
        _ = try checked("stat") { fstatat(directory, path, &status, 0) }
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
