internal import Glibc

/// The ways that lead to some files, and the watches on them: on every directory that is passed, also behind a symbolic
/// link, and on each file itself.
///
/// The kernel tells of a name in a directory that is watched, and of nothing above or below. Kubernetes changes a secret
/// by putting another link in the place of `..data`, a directory before the file; an operator may rename one that is
/// further up. A file that is not there yet is waited for in the nearest directory that is.
///
/// Each directory is watched before the next name is looked up in it, so a change after the look is an event; what the
/// trail does not know of is then never older than the queue.
struct FileTrails {
    /// Watches at most: they are taken from a number that all programs of the user share.
    static let mostWatches = 1_024

    /// Symbolic links on one trail, as many as the kernel follows (`ELOOP`).
    private static let mostLinks = 40

    /// One directory or file that is watched.
    private struct Place {
        /// The paths that lead through here, or end here.
        var all: Set<String> = []
        /// The same by the name that they go on with.
        var byName: [String: Set<String>] = [:]
    }

    private enum Kind {
        case directory
        case link(to: String)
        case file
    }

    private var places: [Int32: Place] = [:]
    /// The watches of the directories passed so far, by their real path.
    private var directories: [String: Int32] = [:]
    private let limit: Int

    /// Why some changes will not be seen; nothing when all will be.
    private(set) var weakness: String?

    /// No trails.
    init() {
        limit = 0
    }

    /// Follows paths and watches what they pass.
    ///
    /// - Parameters:
    ///   - paths: Absolute ones.
    ///   - previous: Trails on the same instance; watches that are not needed any more end.
    init(of paths: Set<String>, on inotify: Inotify, replacing previous: FileTrails, limit: Int = mostWatches) {
        self.limit = limit
        for path in paths.sorted() { follow(path, on: inotify) }
        for watch in previous.places.keys where places[watch] == nil { inotify.unwatch(watch) }
    }

    /// Which paths may lead to something else after an event.
    func paths(concernedBy event: Inotify.Event) -> Set<String> {
        guard let place = places[event.watch] else { return [] }
        guard let name = event.name else { return place.all }
        return place.byName[name] ?? []
    }
}

// MARK: - Following

extension FileTrails {
    private mutating func follow(_ path: String, on inotify: Inotify) {
        guard path.hasPrefix("/") else { return note("\(path) is not an absolute path") }
        // The real path of where we are, with no link in it; empty for the root.
        var directory = ""
        // The names still to go, the next one last.
        var ahead = Self.names(of: path)
        var links = 0
        while let name = ahead.popLast() {
            if name == "." { continue }
            if name == ".." {
                directory = String(directory.prefix(upTo: directory.lastIndex(of: "/") ?? directory.startIndex))
                continue
            }
            pass(name, in: directory, towards: path, on: inotify)
            let here = "\(directory)/\(name)"
            switch Self.kind(of: here) {
            case .directory:
                directory = here
            case .link(let target):
                links += 1
                guard links <= Self.mostLinks else { return }
                if target.hasPrefix("/") { directory = "" }
                ahead += Self.names(of: target)
            case .file:
                return end(at: here, path: path, on: inotify)
            case nil:
                return
            }
        }
    }

    private mutating func pass(_ name: String, in directory: String, towards path: String, on inotify: Inotify) {
        let place = directory.isEmpty ? "/" : directory
        let known = directories[place]
        let added = known ?? add(place) { place throws(SystemError) in try inotify.watch(directory: place) }
        guard let watch = added else { return }
        directories[place] = watch
        places[watch, default: Place()].all.insert(path)
        places[watch, default: Place()].byName[name, default: []].insert(path)
    }

    private mutating func end(at file: String, path: String, on inotify: Inotify) {
        let added = add(file) { file throws(SystemError) in try inotify.watch(file: file) }
        guard let watch = added else { return }
        places[watch, default: Place()].all.insert(path)
    }

    private mutating func add(_ place: String, _ watch: (String) throws(SystemError) -> Int32) -> Int32? {
        guard places.count < limit else {
            note("there are more than \(limit) directories and files on the way")
            return nil
        }
        do {
            return try watch(place)
        } catch {
            if let reason = Self.reason(error, at: place) { note(reason) }
            return nil
        }
    }

    private mutating func note(_ reason: String) {
        if weakness == nil { weakness = reason }
    }

    /// Why changes will not be seen after a failure.
    ///
    /// - Returns: Nothing where the place has changed since it was looked at: that is an event, which is on its way.
    static func reason(_ error: SystemError, at place: String) -> String? {
        switch error.number {
        case ENOENT, ENOTDIR: nil
        case EACCES: "\(place) may not be read"
        default: error.inotifyLimit ?? "\(place): \(error)"
        }
    }

    /// The names in a path, the last one first.
    private static func names(of path: String) -> [String] {
        path.split(separator: "/").reversed().map(String.init)
    }

    private static func kind(of path: String) -> Kind? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFLNK: return target(of: path).map { .link(to: $0) }
        default: return .file
        }
    }

    private static func target(of link: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = bytes.withUnsafeMutableBytes { readlink(link, $0.baseAddress!, $0.count) }
        return length < 0 ? nil : String(decoding: bytes.prefix(length), as: UTF8.self)
    }
}
