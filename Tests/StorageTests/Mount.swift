import FoundationEssentials
import Glibc

/// A small file system of its own over a folder, for root only; gone when the test lets go of it.
final class Mount {
    /// Whether this process may mount; a container often forbids it even to root.
    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        let folder = TemporaryFolder()
        guard run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path]) else { return false }
        return run(["umount", "-l", folder.path])
    }()

    private let path: String

    init(on path: String, size: String) {
        self.path = path
        guard Self.run(["mount", "-t", "tmpfs", "-o", "size=\(size),mode=0700", "tmpfs", path]) else {
            fatalError("cannot mount")
        }
    }

    deinit {
        _ = Self.run(["umount", "-l", path])
    }

    /// - Parameter mode: `ro` or `rw`.
    func remount(_ mode: String) {
        guard Self.run(["mount", "-o", "remount,\(mode)", path]) else { fatalError("cannot mount it \(mode)") }
    }

    /// Takes all the room that is left.
    func fill(_ file: String) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 0, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        close(descriptor)
    }

    private static func run(_ arguments: [String]) -> Bool {
        var child = pid_t()
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        guard posix_spawnp(&child, arguments[0], nil, nil, &pointers, nil) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }
}
