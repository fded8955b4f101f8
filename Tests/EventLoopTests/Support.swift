import EventLoop
import Glibc
import Synchronization

/// Boot nanoseconds that move only when a test says so.
final class ManualClock: Sendable {
    private let nanoseconds = Atomic<Int64>(1_000_000_000)

    func advance(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        nanoseconds.add(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
    }

    func read() -> Int64 {
        nanoseconds.load(ordering: .relaxed)
    }
}

/// A handler that notes what it was told.
final class Recorder: ReadinessHandler {
    private(set) var told: [Readiness] = []
    private let then: () -> Void

    init(then: @escaping () -> Void = {}) {
        self.then = then
    }

    func ready(_ readiness: Readiness) {
        told.append(readiness)
        then()
    }
}

/// Two connected nonblocking Unix stream sockets.
struct SocketPair: ~Copyable {
    let near: Descriptor
    let far: Descriptor

    init() throws {
        var numbers: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, type, 0, &numbers) == 0 else { throw SystemError(call: "socketpair", number: errno) }
        near = Descriptor(owning: numbers[0])
        far = Descriptor(owning: numbers[1])
    }

    consuming func split() -> (near: Int32, far: Int32) {
        (near.release(), far.release())
    }
}

extension Descriptor {
    borrowing func send(text: String) -> WriteResult {
        Array(text.utf8).withUnsafeBytes { send($0) }
    }

    borrowing func readText() -> (ReadResult, String) {
        var bytes = [UInt8](repeating: 0, count: 256)
        let result = bytes.withUnsafeMutableBytes { read(into: $0) }
        guard case .bytes(let count) = result else { return (result, "") }
        return (result, String(decoding: bytes.prefix(count), as: UTF8.self))
    }
}

extension Listener {
    /// Whether a connection waited; it is closed at once.
    func acceptsOne() throws(SystemError) -> Bool {
        switch try accept() {
        case .some: true
        case nil: false
        }
    }
}

/// A directory of its own, short enough for socket paths, removed at the end.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/loop.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", number: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    deinit {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        guard unlink(path) != 0, let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { remove("\(path)/\(name)") }
        }
        closedir(directory)
        rmdir(path)
    }
}

/// What `lstat` says of a path.
struct FileStatus: Equatable {
    let permissions: UInt32
    let isSocket: Bool
    let group: UInt32
    let inode: UInt64

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        permissions = status.st_mode & 0o7777
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
        group = status.st_gid
        inode = UInt64(status.st_ino)
    }
}

/// A client's end, connected to a Unix socket; `errno` where that failed.
func connect(to path: String) -> Result<Int32, SystemError> {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let size = socklen_t(MemoryLayout.size(ofValue: address))
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, size) }
    }
    guard result != 0 else { return .success(client) }
    let number = errno
    close(client)
    return .failure(SystemError(call: "connect", number: number))
}
