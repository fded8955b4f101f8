import Glibc

/// The broker's listening sockets, held by the test as a service manager holds them: who connects while no broker runs
/// waits for the next one.
final class PassedSockets {
    /// In the order of their names.
    let descriptors: [Int32]

    /// What the broker has to be told of them; `launcher` tells it the rest.
    let environment = ["LISTEN_FDS=2", "LISTEN_FDNAMES=apps:admin"]

    /// A program that is to run the broker: only its own process knows the number of the broker's.
    static let launcher = ["/bin/sh", "-c", #"export LISTEN_PID=$$; exec "$@""#, "sh"]

    init(_ scratch: Scratch) throws {
        for directory in ["run", "admin"] { try scratch.makeDirectory(directory) }
        descriptors = try ["run/apps.sock", "admin/admin.sock"].map { try Self.listen(scratch.path($0)) }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    private static func listen(_ path: String) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw HarnessError.system("socket") }
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        guard result == 0, Glibc.listen(socket, 4096) == 0 else { throw HarnessError.system("listen") }
        // Its number is none that the broker gets it under, or making that one could overwrite another.
        let descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 64)
        guard descriptor >= 0 else { throw HarnessError.system("fcntl") }
        return descriptor
    }
}
