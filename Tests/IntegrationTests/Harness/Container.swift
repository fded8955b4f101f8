import Glibc
import Testing

/// What a container is to the broker: a process of another user that sees a few directories of the host's and no more.
///
/// Made of a mount namespace and a root directory of its own, without any program for containers. Root's alone.
final class Container {
    /// Why it cannot be had here; nil where it can.
    static let obstacle: Comment? = {
        guard geteuid() == 0 else { return "a mount namespace takes root" }
        guard access("/usr/bin/curl", X_OK) == 0 else { return "curl is not installed" }
        let unshare = try? RunningProcess("/usr/bin/unshare", ["--mount", "/bin/true"]).waitForEnd()
        return unshare == 0 ? nil : "this host allows no mount namespace"
    }()

    struct Mount: Equatable {
        let source: String
        let target: String
    }

    /// A `docker run` as a page has it.
    struct Command {
        let user: String
        let mounts: [Mount]
        /// What is run inside.
        let words: [String]

        private static let image = "your-image"

        init(documented text: String) throws {
            let words = text.replacing("\\\n", with: " ").split(whereSeparator: \.isWhitespace).map(String.init)
            func value(after option: String) throws -> String {
                guard let index = words.firstIndex(of: option) else { throw HarnessError("no \(option)") }
                return words[index + 1]
            }
            guard words.starts(with: ["docker", "run"]), let image = words.firstIndex(of: Self.image) else {
                throw HarnessError("not a docker run of \(Self.image)")
            }
            user = try value(after: "--user")
            mounts = try words.indices.filter { words[$0] == "--mount" }.map { try Self.mount(words[$0 + 1]) }
            self.words = Array(words[(image + 1)...])
        }

        private static func mount(_ text: String) throws -> Mount {
            guard let match = text.wholeMatch(of: /type=bind,source=([^,]+),target=([^,]+)/) else {
                throw HarnessError("not a bind mount: \(text)")
            }
            return Mount(source: String(match.1), target: String(match.2))
        }
    }

    private let process: RunningProcess
    private let root: String
    private let user: String

    /// Stands until it is let go of.
    init(_ scratch: Scratch, mounts: [Mount], user: String) throws {
        self.user = user
        let root = scratch.path("root")
        self.root = root
        try scratch.makeDirectory("root")
        let system = ["usr", "bin", "lib", "lib64", "etc"].map { Mount(source: "/\($0)", target: "/\($0)") }
        let binds = (system + mounts).map { mount in
            "mkdir -p \(root)\(mount.target) && mount --bind \(mount.source) \(root)\(mount.target)"
        }
        let script = (["mount -t tmpfs none \(root)"] + binds + ["echo here", "exec sleep 600"]).joined(
            separator: " && "
        )
        process = try RunningProcess("/usr/bin/unshare", ["--mount", "/bin/sh", "-c", script])
        try process.output.line(with: "here")
    }

    /// Runs a command inside to its end.
    ///
    /// - Returns: What it printed.
    func run(_ words: [String]) throws -> String {
        let inside = ["--mount", "--target", String(process.pid), "/usr/sbin/chroot", "--userspec=\(user)", root]
        let command = try RunningProcess("/usr/bin/nsenter", inside + words)
        let ending = try command.waitForEnd()
        guard ending == 0 else { throw HarnessError("\(words) ended with \(ending):\n\(command.errors.text)") }
        return command.output.text
    }
}
