internal import Glibc

/// An open file, closed at the end of its owner's life.
struct Descriptor: ~Copyable {
    let number: Int32

    init(_ path: String, _ flags: Int32, permissions: mode_t = 0) throws(SystemError) {
        // Without `O_NONBLOCK` a FIFO in the place of a file would hang the store until somebody opens its other end.
        number = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, permissions)
        guard number >= 0 else { throw SystemError.last }
    }

    deinit {
        close(number)
    }

    func status() throws(SystemError) -> FileStatus {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemError.last }
        return FileStatus(status)
    }

    /// Waits until the disk has the file.
    func synchronize() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError.last }
    }

    /// Fills `buffer` from the file's beginning on.
    ///
    /// - Returns: how many bytes there were, at most the buffer's size.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        var count = 0
        while count < buffer.count {
            let got = pread(number, buffer.baseAddress! + count, buffer.count - count, off_t(count))
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw SystemError.last
            }
        }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(number, bytes.baseAddress! + done, bytes.count - done)
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw SystemError.last
            }
        }
    }
}

/// What the kernel says about a file.
struct FileStatus {
    let owner: UInt32
    let group: UInt32
    /// The twelve permission bits.
    let permissions: UInt32
    let isRegular: Bool
    let isDirectory: Bool
    let size: Int

    init(_ status: stat) {
        owner = status.st_uid
        group = status.st_gid
        permissions = status.st_mode & 0o7777
        isRegular = status.st_mode & S_IFMT == S_IFREG
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        size = status.st_size
    }

    /// Of what is at `path` itself, a symbolic link included; nil where there is nothing.
    static func at(_ path: String) throws(SystemError) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let error = SystemError.last
            guard error.isNotFound else { throw error }
            return nil
        }
        return FileStatus(status)
    }

    /// Whether the file is root's or the daemon's own.
    var isOurs: Bool { owner == 0 || owner == geteuid() }
}
