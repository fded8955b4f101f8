import Glibc

/// A view of the host in which names stand for the addresses that a test says.
///
/// Root's alone: it takes a mount namespace.
final class HostNames {
    /// Why it cannot be had here; nil where it can.
    static let obstacle: String? = {
        guard geteuid() == 0 else { return "names of one's own take root" }
        let unshare = try? RunningProcess("/usr/bin/unshare", ["--mount", "/bin/true"]).waitForEnd()
        return unshare == 0 ? nil : "this host allows no mount namespace"
    }()

    /// What a program is to be started with, so that it knows these names and no others.
    let launcher: [String]
    private let path: String

    init(_ scratch: Scratch) throws {
        path = try scratch.write("hosts", "", mode: 0o644)
        let sources = try scratch.write("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n", mode: 0o644)
        let script = """
            mount --bind \(path) /etc/hosts && mount --bind \(sources) /etc/nsswitch.conf && exec "$@"
            """
        launcher = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
    }

    /// Has a name stand for these addresses from now on, and no other name for any.
    func set(_ name: String, _ addresses: [String]) throws {
        let text = addresses.map { "\($0) \(name)\n" }.joined()
        // In place: a file moved over it would not be the one that is mounted.
        guard let file = fopen(path, "we") else { throw HarnessError.system("fopen") }
        fputs(text, file)
        guard fclose(file) == 0 else { throw HarnessError.system("fclose") }
    }
}
