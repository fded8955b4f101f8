import Glibc

/// One thread of a program, stopped as if it hung; it goes on when the test lets go of this.
final class StoppedThread {
    private let debugger: RunningProcess

    /// A debugger's calls (ptrace(2)): seize, interrupt, and wait until it has stopped.
    private static let script = """
        import ctypes, os, sys, time
        thread = int(sys.argv[1])
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        for request in (0x4206, 0x4207):
            if ptrace(request, thread, None, None): sys.exit(os.strerror(ctypes.get_errno()))
        os.waitpid(thread, 0x40000000)
        print("stopped", flush=True)
        time.sleep(3600)
        """

    init(_ thread: pid_t) throws {
        debugger = try RunningProcess(Installed.python.rawValue, ["-c", Self.script, String(thread)])
        try debugger.output.line(with: "stopped")
    }

    /// Only root traces a process that forbids it.
    static var isPossible: Bool { geteuid() == 0 && Installed.python.isPresent }
}

extension BrokerProcess {
    /// Its threads in the order in which they began, the main thread first.
    var threadNumbers: [pid_t] {
        get throws { try Files.names("/proc/\(process.pid)/task").compactMap { pid_t($0) }.sorted() }
    }

    func thread(named name: String) throws -> pid_t {
        let thread = try threadNumbers.first {
            try Files.text("/proc/\(process.pid)/task/\($0)/comm") == "\(name)\n"
        }
        guard let thread else { throw HarnessError("no thread \(name)") }
        return thread
    }
}
