import Glibc
import TestSupport
import Testing

@testable import ServiceManager

/// The descriptors from 3 on that a test process has open already and needs; the daemon has none at this point.
private let runtimeDescriptors: Int32 = 197

/// Each measure is taken by a process of its own, whose exit code is the answer.
@Suite("Process hardening", .blocking)
struct ProcessHardeningTests {
    @Test("every measure works")
    func all() async {
        await #expect(processExitsWith: .exitCode(7)) {
            exit(ProcessHardening.apply(passedDescriptors: runtimeDescriptors).isEmpty ? 7 : 1)
        }
    }

    @Test("no core file and no tracing")
    func cores() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            let limit = try ResourceLimit.coreSize.get()
            exit(limit == (0, 0) && !ProcessHardening.isTraceable ? 7 : 1)
        }
    }

    @Test("no new privileges")
    func privileges() async {
        await #expect(processExitsWith: .exitCode(7)) {
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            exit(fieldOfStatus("NoNewPrivs") == "1" ? 7 : 1)
        }
    }

    @Test("new files are for the owner alone")
    func newFiles() async {
        await #expect(processExitsWith: .exitCode(7)) {
            umask(0o022)
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            exit(umask(0) == 0o077 ? 7 : 1)
        }
    }

    @Test("a broken pipe is an error and no signal")
    func brokenPipe() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGPIPE, SIG_DFL)
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            close(ends[0])
            exit(write(ends[1], "x", 1) == -1 && errno == EPIPE ? 7 : 1)
        }
    }

    @Test("a crash ends the process at once, whatever the runtime would report of it")
    func crash() async {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGSEGV, SIG_IGN)
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            var action = sigaction()
            sigaction(SIGSEGV, nil, &action)
            exit(action.__sigaction_handler.sa_handler == nil ? 7 : 1)
        }
    }

    @Test("stray descriptors are closed, passed ones stay")
    func strayDescriptors() async {
        await #expect(processExitsWith: .exitCode(7)) {
            for descriptor in [198, 199, 200, 201, 1000] as [Int32] { dup2(STDERR_FILENO, descriptor) }
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            let open = (198...1000 as ClosedRange<Int32>).filter { fcntl($0, F_GETFD) >= 0 }
            exit(open == [198, 199] ? 7 : 1)
        }
    }

    @Test("a standard descriptor that is missing leads to /dev/null", arguments: [0, 1, 2])
    func standardDescriptors(_ descriptor: Int32) async {
        await #expect(processExitsWith: .exitCode(7)) { [descriptor] in
            // A thread of the runtime may take the number first: then once more.
            for _ in 1...20 {
                close(descriptor)
                _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
                var (opened, null) = (stat(), stat())
                let found = fstat(descriptor, &opened) == 0 && stat("/dev/null", &null) == 0
                if found, opened.st_rdev == null.st_rdev { exit(7) }
            }
            exit(1)
        }
    }

    @Test("the descriptor limit is as high as allowed")
    func descriptorLimit() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let hard = try ResourceLimit.openFiles.get().hard
            try ResourceLimit.openFiles.set(soft: 256, hard: hard)
            _ = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            exit(try ResourceLimit.openFiles.get() == (hard, hard) ? 7 : 1)
        }
    }

    @Test("what does not work is reported, and the rest is still done")
    func failure() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let hard = try ResourceLimit.openFiles.get().hard
            try ResourceLimit.openFiles.set(soft: 0, hard: hard)
            close(STDIN_FILENO)
            let failures = ProcessHardening.apply(passedDescriptors: runtimeDescriptors)
            let expected = SystemCallError("open", errorNumber: EMFILE)
            let reported = failures == [ProcessHardening.Failure(step: .openStandardDescriptors, error: expected)]
            exit(reported && umask(0) == 0o077 ? 7 : 1)
        }
    }
}

/// One line of the calling thread's status in `/proc`.
func fieldOfStatus(_ name: String) -> String? {
    let descriptor = open("/proc/thread-self/status", O_RDONLY)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = read(descriptor, &buffer, buffer.count)
    let lines = String(decoding: buffer[..<max(0, count)], as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("\(name):\t") }.map { String($0.dropFirst(name.count + 2)) }
}
