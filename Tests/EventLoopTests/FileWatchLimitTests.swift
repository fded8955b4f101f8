import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite("File watch: limits", .blocking)
struct FileWatchLimitTests {
    private let stage: WatchStage
    private let key: String

    init() throws {
        stage = try WatchStage()
        key = stage.path("key")
    }

    @Test("a queue that ran over: everything is told and watched anew")
    func overflow() throws {
        let second = stage.path("a/second")
        for name in ["a", "b"] { try stage.makeDirectory(name) }
        for name in ["key", "a/second", "b/second"] { try stage.write("one", to: name) }
        stage.watch.watch([key, second])
        try fillQueue()
        try stage.move("a", to: "old")
        try stage.move("b", to: "a")
        #expect(stage.toldNow() == [[key, second]])
        try stage.write("two", to: "a/second")
        #expect(stage.toldNow() == [[second]])
    }

    @Test("all paths are told every 30 seconds")
    func net() throws {
        let missing = stage.path("missing")
        try stage.write("one", to: "key")
        stage.watch.watch([key, missing])
        stage.pass(.seconds(29))
        #expect(stage.told.isEmpty)
        for round in 1...3 {
            #expect(stage.toldNow() == [[key, missing]])
            stage.pass(.seconds(28))
            #expect(stage.told.count == round)
        }
    }

    @Test("a file system that is busy wakes the loop once a rest, and hides no change")
    func noise() throws {
        try stage.write("one", to: "key")
        stage.watch.watch([key])
        try makeNoise()
        stage.loop.runOnce(waiting: false)
        for _ in 1...20 {
            try makeNoise()
            stage.loop.runOnce(waiting: false)
            #expect(stage.hasWaitingEvents, "it rests")
            stage.clock.advance(by: FileWatch.rest / 20)
        }
        #expect(stage.toldNow().isEmpty)
        for step in 1...30 {
            if step == 3 { try stage.write("two", to: "key") }
            try makeNoise()
            stage.pass(.milliseconds(50))
        }
        #expect(stage.told == [[key]])
    }

    @Test("more directories than may be watched: the rest is for the net, and it says so")
    func bounded() throws {
        // The root, the directory of all, its own and one more.
        let stage = try WatchStage(mostWatches: 4)
        try stage.makeDirectory("deep")
        try stage.write("one", to: "deep/key")
        try stage.write("one", to: "key")
        let deep = stage.path("deep/key")
        stage.watch.watch([deep])
        #expect(stage.watch.weakness == "there are more than 4 directories and files on the way")
        #expect(try stage.kernelWatches() == 4)
        stage.watch.watch([stage.path("key")])
        #expect(stage.watch.weakness == nil)
        #expect(try stage.kernelWatches() == 4)
    }

    @Test("a path that is not absolute is for the net, and it says so")
    func relative() throws {
        stage.watch.watch(["key"])
        #expect(stage.watch.weakness == "key is not an absolute path")
    }

    @Test("a failure names the limit or the place, and none where the place has just changed")
    func reasons() {
        func reason(_ number: Int32) -> String? {
            FileTrails.reason(SystemError(call: "inotify_add_watch", number: number), at: "/run/keys")
        }
        #expect(reason(ENOENT) == nil)
        #expect(reason(ENOTDIR) == nil)
        #expect(reason(EACCES) == "/run/keys may not be read")
        #expect(reason(ENOSPC) == "the user's limit of watches is reached (fs.inotify.max_user_watches)")
        #expect(reason(ENOMEM) == "/run/keys: inotify_add_watch: Cannot allocate memory")
    }

    @Test("in a directory that may not be listed it says so, and still sees a file that is written or moved")
    func unreadableDirectory() async {
        await #expect(processExitsWith: .success) {
            exit(try seesFileInUnreadableDirectory() ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("without a descriptor to be had there is the net, and all is well when there is one again")
    func outOfDescriptors() async {
        await #expect(processExitsWith: .success) {
            exit(try recoversFromShortage() ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test("all it opened is closed at the end, also when it is ended by its own call")
    func closed() async {
        await #expect(processExitsWith: .success) {
            exit(try closesItself() ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    /// Makes more events of another file than the kernel keeps.
    private func fillQueue() throws {
        let limit = try contents(of: "/proc/sys/fs/inotify/max_queued_events").split(separator: "\n").first
        for _ in 0...(Int(limit ?? "") ?? 0) / 2 { try makeNoise() }
    }

    /// Makes two events that are nothing to anybody.
    private func makeNoise() throws {
        try stage.link("other", to: "nowhere")
        try stage.delete("other")
    }
}

private func seesFileInUnreadableDirectory() throws -> Bool {
    let stage = try WatchStage()
    try stage.makeDirectory("closed")
    try stage.write("one", to: "closed/key")
    try stage.allow(0o666, on: "closed/key")
    try stage.allow(0o755, on: ".")
    try stage.allow(0o333, on: "closed")
    let isRoot = geteuid() == 0
    if isRoot { seteuid(65_534) }
    defer {
        if isRoot { seteuid(0) }
        try? stage.allow(0o755, on: "closed")
    }
    let path = stage.path("closed/key")
    stage.watch.watch([path])
    guard stage.watch.weakness == "\(stage.path("closed")) may not be read" else { return false }
    try stage.write("two", to: "closed/key")
    guard stage.toldNow() == [[path]] else { return false }
    try stage.move("closed/key", to: "closed/old")
    return stage.toldNow() == [[path]]
}

private func recoversFromShortage() throws -> Bool {
    let stage = try WatchStage()
    let key = stage.path("key")
    try stage.write("one", to: "key")
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(resource, &limit)
    let usual = limit.rlim_cur
    limit.rlim_cur = 3
    setrlimit(resource, &limit)
    stage.watch.watch([key])
    guard stage.watch.weakness?.hasPrefix("the limit of open files") == true else { return false }
    stage.pass(FileWatch.netInterval)
    guard stage.toldNow() == [[key]], stage.watch.weakness != nil else { return false }
    limit.rlim_cur = usual
    setrlimit(resource, &limit)
    stage.pass(FileWatch.netInterval)
    guard stage.told == [[key], [key]], stage.watch.weakness == nil else { return false }
    try stage.write("two", to: "key")
    return stage.toldNow() == [[key]]
}

private func closesItself() throws -> Bool {
    let directory = try TemporaryDirectory()
    let key = directory.file("key")
    let clock = ManualClock()
    let loop = try EventLoop(clock: { clock.read() })
    var told = 0
    var watch: FileWatch?
    watch = FileWatch(loop: loop) { _ in
        told += 1
        watch?.close()
    }
    watch?.watch([key])
    guard openInstances() == 1 else { return false }
    _ = try Descriptor("open") { open(key, O_CREAT | O_CLOEXEC, 0o600) }
    for _ in 0..<1_000 {
        loop.runOnce(waiting: false)
        clock.advance(by: .milliseconds(100))
    }
    return told == 1 && openInstances() == 0
}

/// How many inotify instances the process has open.
private func openInstances() -> Int {
    (0..<1_024).count { number in
        var target = [UInt8](repeating: 0, count: 64)
        let length = readlink("/proc/self/fd/\(number)", &target, target.count)
        return length > 0 && String(decoding: target.prefix(length), as: UTF8.self) == "anon_inode:inotify"
    }
}
