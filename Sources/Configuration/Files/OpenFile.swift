internal import Glibc

/// A file opened for reading, closed at the end of its owner's life.
///
/// Everything that is judged is asked of the descriptor, so that what was judged is what is read, whatever becomes of
/// the path meanwhile. Symbolic links are followed: they are usual under `/etc` and in mounted secrets, and it is the
/// file behind them whose owner and mode count.
struct OpenFile: ~Copyable {
    let attributes: FileAttributes
    private let descriptor: Int32

    /// - Throws: ``SystemError`` when it is not there or not readable.
    init(_ path: String) throws(SystemError) {
        // Without `O_NONBLOCK` a FIFO in the place of a file would hang the daemon until somebody writes to it.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SystemError.last }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        attributes = FileAttributes(status)
    }

    deinit {
        close(descriptor)
    }

    /// Fills `buffer` from the file's beginning on.
    ///
    /// - Returns: how many bytes there were, at most the buffer's size.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        var count = 0
        while count < buffer.count {
            let got = pread(descriptor, buffer.baseAddress! + count, buffer.count - count, off_t(count))
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw SystemError.last
            }
        }
        return count
    }

    /// All of the file, or nil when it is longer than `limit`.
    func contents(limit: Int) throws(SystemError) -> [UInt8]? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + 1, alignment: 1)
        defer { buffer.deallocate() }
        let count = try read(into: buffer)
        return count > limit ? nil : Array(buffer.prefix(count))
    }
}

/// What the kernel says about a file.
struct FileAttributes {
    let owner: UInt32
    let group: UInt32
    /// The twelve permission bits.
    let permissions: UInt32
    let isRegular: Bool
}

extension FileAttributes {
    init(_ status: stat) {
        self.init(
            owner: status.st_uid,
            group: status.st_gid,
            permissions: status.st_mode & 0o7777,
            isRegular: status.st_mode & S_IFMT == S_IFREG
        )
    }
}

/// An `errno`, in the system's words.
struct SystemError: Error, CustomStringConvertible {
    let code: Int32

    /// Of the call that just failed.
    static var last: SystemError { SystemError(code: errno) }

    var isNotFound: Bool { code == ENOENT }
    var isDenied: Bool { code == EACCES || code == EPERM }

    var description: String { String(cString: strerror(code)) }
}
