internal import Glibc

/// One inotify instance: a queue in which the kernel notes what happens to the files and directories it watches.
///
/// A watch belongs to the inode, not to the path it was found by: watching the same inode again gives the same number,
/// and the watch of one that is gone ends by itself.
final class Inotify {
    /// What happened to something that is watched.
    struct Event {
        /// Which watch it is about.
        let watch: Int32
        private let mask: UInt32
        /// What it happened to, inside the directory that is watched; nothing when it happened to what is watched.
        let name: String?

        /// Whether the queue was full: anything may have happened, and nothing more is known of it.
        var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }

        fileprivate init(_ header: inotify_event, name: UnsafeRawBufferPointer.SubSequence) {
            watch = header.wd
            mask = header.mask
            self.name = header.len == 0 ? nil : String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// What is told of everything; its end is told unasked (`IN_IGNORED`). `IN_ATTRIB`, because what could not be read
    /// may be readable after a `chmod`; `IN_MOVE_SELF`, because the directory it is moved in may not be watched.
    private static let events = IN_ATTRIB | IN_MOVE_SELF

    /// Names that appear in a directory and disappear.
    private static let directoryEvents = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO

    /// Writing to a file. `IN_CLOSE_WRITE`, because writing through a memory map is no event before that.
    private static let fileEvents = IN_MODIFY | IN_CLOSE_WRITE

    /// Bytes read at a time: some 2,000 events, and far more than the longest one.
    private static let readSize = 65_536

    /// Reads in a row. They hold more than the queue does by default (16,384 events with names of 255 bytes), and end
    /// when it is filled as fast as it is emptied.
    private static let mostReads = 128

    let descriptor: Descriptor

    init() throws(SystemError) {
        descriptor = try Descriptor("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }
    }

    /// Watches the names in a directory.
    ///
    /// - Throws: `ENOTDIR` for anything else, a symbolic link to a directory too; `EACCES` when it may not be read.
    func watch(directory path: String) throws(SystemError) -> Int32 {
        try add(path, Self.directoryEvents | IN_ONLYDIR)
    }

    /// Watches the contents of a file, by whatever name or mount they are written.
    func watch(file path: String) throws(SystemError) -> Int32 {
        try add(path, Self.fileEvents)
    }

    private func add(_ path: String, _ events: Int32) throws(SystemError) -> Int32 {
        let number = descriptor.number
        let mask = UInt32(events | Self.events | IN_DONT_FOLLOW)
        return try checked("inotify_add_watch") { inotify_add_watch(number, path, mask) }
    }

    /// Ends a watch; nothing happens when the kernel ended it already.
    func unwatch(_ watch: Int32) {
        _ = inotify_rm_watch(descriptor.number, watch)
    }

    /// Takes what is in the queue.
    func takeAll(_ body: (Event) -> Void) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 8)
        defer { buffer.deallocate() }
        let number = descriptor.number
        for _ in 0..<Self.mostReads {
            let count = try? checked("read") { Int32(read(number, buffer.baseAddress, buffer.count)) }
            guard let count, count > 0 else { return }
            Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]), body)
        }
    }

    /// The kernel gives whole events only, each a header and a name that is padded with zeros.
    private static func parse(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Void) {
        let headerSize = MemoryLayout<inotify_event>.size
        var rest = bytes[...]
        while rest.count >= headerSize {
            let header = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: inotify_event.self)
            rest = rest.dropFirst(headerSize)
            body(Event(header, name: rest.prefix(Int(header.len))))
            rest = rest.dropFirst(Int(header.len))
        }
    }
}

extension SystemError {
    /// The limit that inotify ran into, where the kernel's own words ("No space left on device") would mislead.
    var inotifyLimit: String? {
        switch number {
        case ENOSPC: "the user's limit of watches is reached (fs.inotify.max_user_watches)"
        case EMFILE: "the limit of open files is reached, or the user's of fs.inotify.max_user_instances"
        default: nil
        }
    }
}
