internal import CSystemd
internal import Glibc

/// What the process does to itself before it reads a secret.
public enum ProcessHardening {
    /// One measure; all are tried, whatever became of the others.
    public enum Step: String, Sendable, CaseIterable {
        /// Standard input, output and error lead somewhere, so that no file or socket ever gets their numbers.
        case openStandardDescriptors = "open_standard_descriptors"
        /// What a careless parent left open is closed.
        case closeStrayDescriptors = "close_stray_descriptors"
        /// No core file.
        case forbidCoreDumps = "forbid_core_dumps"
        /// No report of a crash by the runtime, which could print memory, and hangs where it may not trace the process.
        case forbidCrashReports = "forbid_crash_reports"
        /// No tracing, and no core to a pipe either, which the limit does not stop.
        case forbidTracing = "forbid_tracing"
        /// No privileges by exec.
        case forbidNewPrivileges = "forbid_new_privileges"
        /// New files are the daemon's alone.
        case restrictNewFiles = "restrict_new_files"
        /// A peer that hung up is an error of the write, not the end of the process.
        case ignoreBrokenPipes = "ignore_broken_pipes"
        /// As many descriptors as the service manager allows.
        case raiseDescriptorLimit = "raise_descriptor_limit"
    }

    /// A measure that did not work.
    public struct Failure: Error, Sendable, Equatable {
        public let step: Step
        public let error: SystemCallError
    }

    /// Takes all measures.
    ///
    /// To be called first in `main`, before there is a second thread and before the first `await`: what forbids new
    /// privileges is inherited by threads but does not reach those that exist, and a descriptor that the runtime or a
    /// library has opened by then is a stray one.
    ///
    /// - Parameter passedDescriptors: how many descriptors from 3 on stay open.
    /// - Returns: what did not work, to be logged: a container may forbid a measure that the unit has taken already.
    public static func apply(passedDescriptors: Int32) -> [Failure] {
        Step.allCases.compactMap { step in
            do throws(SystemCallError) {
                try take(step, passedDescriptors: passedDescriptors)
                return nil
            } catch {
                return Failure(step: step, error: error)
            }
        }
    }

    private static func take(_ step: Step, passedDescriptors: Int32) throws(SystemCallError) {
        switch step {
        case .openStandardDescriptors: try openStandardDescriptors()
        case .closeStrayDescriptors: try closeDescriptors(from: SocketActivation.firstDescriptor + passedDescriptors)
        case .forbidCoreDumps: try ResourceLimit.coreSize.set(soft: 0, hard: 0)
        case .forbidCrashReports: try restoreCrashSignals()
        case .forbidTracing: try forbidTracing()
        case .forbidNewPrivileges:
            guard tokenbroker_forbid_new_privileges() == 0 else { throw SystemCallError("prctl") }
        case .restrictNewFiles: umask(0o077)
        case .ignoreBrokenPipes: try ignoreBrokenPipes()
        case .raiseDescriptorLimit: try ResourceLimit.openFiles.raiseToHardLimit()
        }
    }

    /// Neither dumped nor traced nor read through `/proc` by the own user. A change of user makes the process
    /// dumpable or not by a rule of the host's, so ``PrivilegeDrop`` does this again.
    static func forbidTracing() throws(SystemCallError) {
        guard tokenbroker_forbid_dumps() == 0 else { throw SystemCallError("prctl") }
    }

    /// Whether the own user could trace the process or have its core.
    static var isTraceable: Bool {
        tokenbroker_dumpable() != 0
    }

    /// `open` takes the lowest free number, and all below the one that is missing are taken.
    private static func openStandardDescriptors() throws(SystemCallError) {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            guard open("/dev/null", O_RDWR) >= 0 else { throw SystemCallError("open") }
        }
    }

    private static func ignoreBrokenPipes() throws(SystemCallError) {
        try handle(SIGPIPE, by: SIG_IGN)
    }

    /// The runtime's reporter is a handler of these, set where the environment does not say otherwise.
    private static func restoreCrashSignals() throws(SystemCallError) {
        for signal in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] { try handle(signal, by: SIG_DFL) }
    }

    private static func handle(_ signal: Int32, by handler: __sighandler_t?) throws(SystemCallError) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = handler
        guard sigaction(signal, &action, nil) == 0 else { throw SystemCallError("sigaction") }
    }

    private static func closeDescriptors(from first: Int32) throws(SystemCallError) {
        guard tokenbroker_close_from(UInt32(first)) == 0 else { throw SystemCallError("close_range") }
    }
}
