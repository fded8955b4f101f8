/// Replaces a file while a program starts: in the moment before it watches the first file for changes.
enum ReplacedAtStart {
    /// The outer program that runs the one to be started, and becomes it.
    ///
    /// - Parameters:
    ///   - file: What is replaced.
    ///   - other: What is moved into its place.
    static func launcher(_ file: String, by other: String) -> [String] {
        [Installed.python.rawValue, "-c", script, file, other]
    }

    /// Only root traces a process that forbids it.
    static var isPossible: Bool { StoppedThread.isPossible }

    /// A debugger's calls (ptrace(2)): seize, interrupt, on to the next system call, what it is, and detach. The call that
    /// is waited for is inotify_add_watch(2).
    private static let script = """
        import ctypes, os, platform, signal, sys
        file, other = sys.argv[1:3]
        traced, (reading, writing) = os.getpid(), os.pipe()
        if os.fork():
            os.read(reading, 1)
            os.execv(sys.argv[3], sys.argv[3:])
        ptrace = ctypes.CDLL(None).ptrace
        ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        wanted = {"x86_64": 254, "aarch64": 27}[platform.machine()]
        info = ctypes.create_string_buffer(88)
        ptrace(0x4206, traced, None, 1)
        ptrace(0x4207, traced, None, None)
        os.waitpid(traced, 0x40000000)
        os.write(writing, b".")
        passed = 0
        while True:
            ptrace(24, traced, None, passed)
            status = os.waitpid(traced, 0x40000000)[1]
            stop, passed = os.WSTOPSIG(status), 0
            if stop == signal.SIGTRAP | 0x80:
                ptrace(0x420e, traced, 88, info)
                if info.raw[0] == 1 and int.from_bytes(info.raw[24:32], "little") == wanted: break
            elif status >> 16 == 0:
                passed = stop
        os.rename(other, file)
        ptrace(17, traced, None, None)
        """
}
