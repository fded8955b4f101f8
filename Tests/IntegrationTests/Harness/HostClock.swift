import Glibc

/// The two clocks of the host that a program believes to run on. The host's own are not touched.
///
/// `Tests/TestClock` is preloaded into the program and does for it what the kernel does.
final class HostClock {
    private let path: String
    /// As `TestClock.h` has them: both offsets, the revision of them, and the one that the program has taken.
    private var words: [Int64] = [0, 0, 0, 0]
    private let isAwake: Bool

    /// - Parameters:
    ///   - ahead: How far the calendar clock is ahead of the right time from the start.
    ///   - isAwake: The time passes while nothing happens, and the host does not sleep.
    init(_ scratch: Scratch, ahead: Duration = .zero, isAwake: Bool = false) throws {
        self.isAwake = isAwake
        path = scratch.path("host-clock")
        words[1] = ahead.nanoseconds
        try write()
    }

    /// What the program's environment needs.
    var environment: [String] {
        ["TEST_CLOCK=\(path)", "LD_PRELOAD=\(RunningProcess.buildDirectory)/libTestClock.so"]
            + (isAwake ? ["TEST_CLOCK_AWAKE=1"] : [])
    }

    /// By how much the program's calendar clock is ahead.
    var ahead: Duration { .nanoseconds(words[1]) }

    /// What the program's calendar clock shows.
    var milliseconds: Int64 { WallClock.milliseconds + words[1] / 1_000_000 }

    /// The calendar clock is set.
    func step(_ duration: Duration) throws {
        try change(boot: .zero, wall: duration)
    }

    /// The host sleeps, or nothing happens on it; the calendar clock, which runs on a battery, does not.
    func suspend(_ duration: Duration) throws {
        try change(boot: duration, wall: duration)
    }

    private func change(boot: Duration, wall: Duration) throws {
        words[0] += boot.nanoseconds
        words[1] += wall.nanoseconds
        words[2] += 1
        try write()
        try Deadline.until("the program's clocks are set") { try applied() == words[2] }
    }

    private func write() throws {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw HarnessError.system("open") }
        defer { close(file) }
        // The offsets first: the program looks at the revision.
        for (place, count) in [(0, 2), (2, words[2] == 0 ? 2 : 1)] {
            let size = count * MemoryLayout<Int64>.size
            let isWhole = words[place...].withUnsafeBytes {
                pwrite(file, $0.baseAddress, size, off_t(place * MemoryLayout<Int64>.size)) == size
            }
            guard isWhole else { throw HarnessError.system("pwrite") }
        }
    }

    private func applied() throws -> Int64 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw HarnessError.system("open") }
        defer { close(file) }
        var revision: Int64 = 0
        let size = MemoryLayout<Int64>.size
        guard pread(file, &revision, size, off_t(3 * size)) == size else { throw HarnessError.system("pread") }
        return revision
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
