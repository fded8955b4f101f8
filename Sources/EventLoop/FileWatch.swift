/// Tells when files may have changed, by whatever way: written in place, replaced, deleted and made again, reached
/// through other directories or symbolic links.
///
/// It reads no contents: whoever is told reads the file and compares. Told is a little too often rather than too seldom,
/// but never because of other files in the same directories.
///
/// A change is told when nothing has happened to the files for a moment, so that an edit is read when it is whole, and
/// within 1.5 seconds also while somebody keeps writing. Every 30 seconds all paths are told: the net for what the
/// kernel does not report (a file system mounted over a directory, a file on a network file system written elsewhere)
/// and for when it reports nothing at all, see `weakness`.
///
/// On the loop's thread only; the loop holds it until `close`. It looks paths up there, so a network file system that
/// does not answer holds up the loop.
public final class FileWatch: ReadinessHandler {
    /// How long the queue rests after it was read, and so how long nothing must happen before a change is told. Others
    /// may write as they like to a directory like `/tmp`: they wake the loop ten times a second at most.
    static let rest: Duration = .milliseconds(200)

    /// How long a change is kept back while more keep coming.
    static let patience: Duration = .seconds(1)

    /// How often all paths are told.
    static let netInterval: Duration = .seconds(30)

    private let loop: EventLoop
    private let mostWatches: Int
    private let onChange: (Set<String>) -> Void
    private var paths: Set<String> = []
    private var trails = FileTrails()
    private(set) var inotify: Inotify?
    private var registration: Watch?

    /// Paths that will be told, and since when the first of them waits, in boot nanoseconds.
    private var pending: (paths: Set<String>, since: Int64)?

    private lazy var restTimer = loop.timer { [weak self] in self?.restIsOver() }
    private lazy var netTimer = loop.timer { [weak self] in self?.netIsDue() }

    /// Why changes of some paths are noticed every 30 seconds only; nothing when all is well.
    ///
    /// As of the last look, which is taken again with every change and every 30 seconds: what was short may be there by
    /// then. It names directories and limits, for an operator.
    public private(set) var weakness: String?

    /// Watches nothing yet.
    ///
    /// - Parameter onChange: Called with paths as they were given to `watch`. It may call `watch` and `close`.
    public convenience init(loop: EventLoop, onChange: @escaping (Set<String>) -> Void) {
        self.init(loop: loop, mostWatches: FileTrails.mostWatches, onChange: onChange)
    }

    init(loop: EventLoop, mostWatches: Int, onChange: @escaping (Set<String>) -> Void) {
        self.loop = loop
        self.mostWatches = mostWatches
        self.onChange = onChange
    }

    /// Watches these files from now on and no others. What changes after it returns is told, so read them after it.
    ///
    /// - Parameter paths: Absolute ones. Neither the files nor their directories need to exist.
    public func watch(_ paths: Set<String>) {
        self.paths = paths
        pending?.paths.formIntersection(paths)
        follow()
        if !netTimer.isArmed { netTimer.arm(after: Self.netInterval) }
    }

    /// Ends it: nothing more is told.
    public func close() {
        restTimer.cancel()
        netTimer.cancel()
        if let registration { loop.unwatch(registration) }
        registration = nil
        inotify = nil
        trails = FileTrails()
        paths = []
        pending = nil
    }

    public func ready(_ readiness: Readiness) {
        takeEvents()
        beginRest()
    }
}

extension FileWatch {
    /// Leaves the queue alone for a moment: what is in it meanwhile wakes nobody.
    private func beginRest() {
        if let registration { loop.change(registration, to: []) }
        if !restTimer.isArmed { restTimer.arm(after: Self.rest) }
    }

    private func restIsOver() {
        let isQuiet = !takeEvents()
        if isQuiet || isOutOfPatience {
            if let registration { loop.change(registration, to: .read) }
            tell()
        } else {
            beginRest()
        }
    }

    private func netIsDue() {
        netTimer.arm(after: Self.netInterval)
        note(paths)
        beginRest()
    }

    private var isOutOfPatience: Bool {
        pending.map { .nanoseconds(loop.nowNanoseconds - $0.since) >= Self.patience } ?? false
    }

    /// - Returns: Whether something has happened to the files.
    @discardableResult
    private func takeEvents() -> Bool {
        var concerned: Set<String> = []
        inotify?.takeAll { concerned.formUnion($0.isOverflow ? paths : trails.paths(concernedBy: $0)) }
        note(concerned)
        return !concerned.isEmpty
    }

    /// Keeps paths until they are told. They are followed anew at once, not only then: what happens at the new place
    /// meanwhile belongs to the same change.
    private func note(_ concerned: Set<String>) {
        guard !concerned.isEmpty else { return }
        pending = (concerned.union(pending?.paths ?? []), pending?.since ?? loop.nowNanoseconds)
        follow()
    }

    private func tell() {
        guard let told = pending?.paths else { return }
        pending = nil
        if !told.isEmpty { onChange(told) }
    }

    private func follow() {
        do throws(SystemError) {
            trails = FileTrails(of: paths, on: try opened(), replacing: trails, limit: mostWatches)
            weakness = trails.weakness
        } catch {
            weakness = error.inotifyLimit ?? "\(error)"
        }
    }

    private func opened() throws(SystemError) -> Inotify {
        if let inotify { return inotify }
        let opened = try Inotify()
        registration = try loop.watch(opened.descriptor, for: .read, self)
        inotify = opened
        return opened
    }
}
