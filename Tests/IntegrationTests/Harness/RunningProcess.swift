import Glibc
import Synchronization

/// A program that runs beside the test, killed with it.
final class RunningProcess {
    /// How a program ended: its exit status, or 128 and the signal's number as a shell has it.
    typealias Ending = Int32

    let pid: pid_t
    let output: Capture
    let errors: Capture
    private var ending: Ending?

    /// Between a pipe's making and its flag, another thread's child would inherit it and keep it open.
    private static let spawning = Mutex(())

    /// - Parameters:
    ///   - program: A path, or the name of one of the package's programs.
    ///   - outer: A program, with its arguments, that is to run this one.
    ///   - identity: Whom to run it as; only root can.
    ///   - descriptors: How many files and sockets it may have open; nil: as many as the tests.
    ///   - passed: Descriptors of the tests' that it gets under the numbers from 3 on; their own numbers are far above.
    init(
        _ program: String,
        _ arguments: [String],
        by outer: [String] = [],
        as identity: Identity? = nil,
        descriptors: Int? = nil,
        passing passed: [Int32] = [],
        environment: [String] = []
    ) throws {
        let path = program.contains("/") ? program : "\(Self.buildDirectory)/\(program)"
        // The kernel kills the child when the thread that started it ends, which here means: with the tests.
        var launcher = ["/usr/bin/setpriv", "--pdeathsig", "KILL"] + (identity?.options ?? []) + ["--"]
        if let descriptors { launcher += ["/usr/bin/prlimit", "--nofile=\(descriptors):\(descriptors)", "--"] }
        launcher += outer + [path]
        (pid, output, errors) = try Self.spawning.withLock { _ in
            let (output, errors) = (try Pipe(), try Pipe())
            defer {
                close(output.writing)
                close(errors.writing)
            }
            let pid = try Self.spawn(launcher + arguments, environment, [output.writing, errors.writing] + passed)
            return (pid, Capture(output.reading), Capture(errors.reading))
        }
    }

    deinit {
        guard ending == nil else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    func send(_ signal: Int32) {
        kill(pid, signal)
    }

    /// Waits for the end of the program.
    func waitForEnd(patience: Duration = Deadline.usual) throws -> Ending {
        if let ending { return ending }
        let ending = try Deadline.poll("the end of process \(pid)", patience: patience) { () -> Ending? in
            var status: Int32 = 0
            guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
            return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        }
        self.ending = ending
        return ending
    }

    /// Where the package's programs and libraries are built: beside the tests.
    static let buildDirectory: String = {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // SwiftPM's runner may be another program that loads the tests; its argument names them then.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let executable = bundle ?? String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        return executable.lastIndex(of: "/").map { String(executable[..<$0]) } ?? "."
    }()

    /// - Parameter descriptors: What the program gets as its standard output, as its standard error, and beyond.
    private static func spawn(
        _ words: [String],
        _ environment: [String],
        _ descriptors: [Int32]
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        for (number, descriptor) in zip(STDOUT_FILENO..., descriptors) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, number)
        }
        // The tests' threads block signals, and a child would begin with that.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = (["PATH=/usr/bin:/bin"] + environment).map { strdup($0) } + [nil]
        defer { for word in arguments + variables { free(word) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, words[0], &actions, &attributes, &arguments, &variables)
        guard error == 0 else { throw HarnessError("\(words[0]): \(String(cString: strerror(error)))") }
        return pid
    }
}

/// A user and groups by their numbers; the host need not know them.
struct Identity {
    var user: UInt32
    var group: UInt32
    var supplementary: [UInt32] = []

    fileprivate var options: [String] {
        let groups = supplementary.map(String.init).joined(separator: ",")
        return ["--reuid=\(user)", "--regid=\(group)", groups.isEmpty ? "--clear-groups" : "--groups=\(groups)"]
    }
}
