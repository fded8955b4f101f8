internal import Glibc

extension Notifier {
    /// How long systemd waits between two pings before it kills the service; nil when it does not watch this process.
    ///
    /// Ping at half of it (sd_watchdog_enabled(3)), from the loop whose life is to be proven.
    ///
    /// - Parameters:
    ///   - environment: of the process; `WATCHDOG_USEC`, and `WATCHDOG_PID` when set for one process only.
    ///   - process: the own process id; nil asks the system.
    public static func watchdogInterval(environment: [String: String], process: Int32? = nil) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let watched = environment["WATCHDOG_PID"], Int32(watched) != process ?? getpid() { return nil }
        return .microseconds(microseconds)
    }
}
