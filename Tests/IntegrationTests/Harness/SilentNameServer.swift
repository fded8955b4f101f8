import Glibc

/// A name server that takes questions and never answers, and a view of the host in which it is the only one.
///
/// Root's alone: port 53 takes it, and so does a mount namespace.
final class SilentNameServer {
    /// Why it cannot be had here; nil where it can.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "a name server of one's own takes root" }
        guard (try? SilentNameServer(Scratch())) != nil else { return "port 53 of the loopback addresses is taken" }
        let unshare = try? RunningProcess("/usr/bin/unshare", ["--mount", "/bin/true"]).waitForEnd()
        return unshare == 0 ? nil : "this host allows no mount namespace"
    }()

    /// A loopback address that nobody else has a use for, not even another run of the tests.
    private let address = "127.66.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 1...254))"

    /// What a program is to be started with, so that it asks this name server and no other.
    let launcher: [String]
    private let socket: Int32

    init(_ scratch: Scratch) throws {
        let servers = try scratch.write("resolv.conf", "nameserver \(address)\n", mode: 0o644)
        // Whatever else a host may ask for names, such as systemd-resolved, is not asked.
        let sources = try scratch.write("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n", mode: 0o644)
        let script = """
            mount --bind \(servers) /etc/resolv.conf && mount --bind \(sources) /etc/nsswitch.conf && exec "$@"
            """
        launcher = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard socket >= 0 else { throw HarnessError.system("socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, self.address, &address.sin_addr)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
        }
        guard result == 0 else {
            close(socket)
            throw HarnessError.system("bind")
        }
    }

    deinit {
        close(socket)
    }

    /// Whether anybody asked since the last time.
    func wasAsked() -> Bool {
        var question = [UInt8](repeating: 0, count: 512)
        var wasAsked = false
        while recv(socket, &question, question.count, 0) > 0 { wasAsked = true }
        return wasAsked
    }
}
