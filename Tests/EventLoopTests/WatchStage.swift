import Glibc

@testable import EventLoop

/// A file watch on a loop whose clock the test moves, and a directory of files to change.
///
/// Nothing is waited for: the kernel queues an event before the system call that caused it returns.
final class WatchStage {
    let clock: ManualClock
    let loop: EventLoop
    let watch: FileWatch
    private let directory: TemporaryDirectory
    private let calls: Calls

    private final class Calls {
        var all: [Set<String>] = []
    }

    init(mostWatches: Int = FileTrails.mostWatches) throws {
        let clock = ManualClock()
        let calls = Calls()
        self.clock = clock
        self.calls = calls
        loop = try EventLoop(clock: { clock.read() })
        directory = try TemporaryDirectory()
        watch = FileWatch(loop: loop, mostWatches: mostWatches) { calls.all.append($0) }
    }

    deinit {
        watch.close()
    }

    /// What was told so far.
    var told: [Set<String>] { calls.all }

    /// Lets time pass in steps of 50 milliseconds, each with a turn before it.
    func pass(_ duration: Duration) {
        let step: Duration = .milliseconds(50)
        for _ in 0..<Int(duration / step) {
            loop.runOnce(waiting: false)
            clock.advance(by: step)
        }
        loop.runOnce(waiting: false)
    }

    /// What is told within two seconds, besides what was told before.
    func toldNow() -> [Set<String>] {
        let before = told.count
        pass(.seconds(2))
        return Array(told.dropFirst(before))
    }

    /// How many watches the kernel keeps for it.
    func kernelWatches() throws -> Int {
        guard let descriptor = watch.inotify?.descriptor.number else { return 0 }
        return try contents(of: "/proc/self/fdinfo/\(descriptor)").split(separator: "\n")
            .count { $0.hasPrefix("inotify ") }
    }

    /// Whether the kernel holds events that were not taken.
    var hasWaitingEvents: Bool {
        var query = pollfd(fd: watch.inotify?.descriptor.number ?? -1, events: Int16(POLLIN), revents: 0)
        return poll(&query, 1, 0) == 1
    }
}

// MARK: - Files, by their names in the directory

extension WatchStage {
    func path(_ name: String) -> String {
        directory.file(name)
    }

    /// Makes a file or writes it anew in place.
    func write(_ text: String, to name: String) throws {
        try put(text, name, O_TRUNC)
    }

    func append(_ text: String, to name: String) throws {
        try put(text, name, O_APPEND)
    }

    private func put(_ text: String, _ name: String, _ mode: Int32) throws {
        let file = try Descriptor("open") { open(path(name), O_WRONLY | O_CREAT | O_CLOEXEC | mode, 0o666) }
        _ = try checked("write") { Int32(Glibc.write(file.number, text, text.utf8.count)) }
    }

    func delete(_ name: String) throws {
        _ = try checked("unlink") { unlink(path(name)) }
    }

    func move(_ name: String, to other: String) throws {
        _ = try checked("rename") { rename(path(name), path(other)) }
    }

    func link(_ name: String, to target: String) throws {
        _ = try checked("symlink") { symlink(target, path(name)) }
    }

    func makeDirectory(_ name: String) throws {
        _ = try checked("mkdir") { mkdir(path(name), 0o755) }
    }

    func allow(_ mode: UInt32, on name: String) throws {
        _ = try checked("chmod") { chmod(path(name), mode) }
    }
}

/// The text of a small file.
func contents(of path: String) throws -> String {
    let file = try Descriptor("open") { open(path, O_RDONLY | O_CLOEXEC) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = try checked("read") { Int32(read(file.number, &bytes, bytes.count)) }
    return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
}
