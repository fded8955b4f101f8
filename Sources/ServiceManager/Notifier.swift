internal import Glibc

/// Tells systemd what the service is doing (sd_notify(3)); does nothing when nobody asked to be told.
///
/// The datagrams are sent by our own code and not by `sd_notify`, which reads `NOTIFY_SOCKET` from the environment at
/// each call: not safe beside other threads, and not testable without changing the process.
public struct Notifier: Sendable {
    private let socket: NotifySocket?
    private let monotonicMicroseconds: @Sendable () -> UInt64

    /// - Parameters:
    ///   - environment: of the process; `NOTIFY_SOCKET` is a path, or `@` and an abstract name.
    ///   - monotonicMicroseconds: `CLOCK_MONOTONIC`, which is the one systemd compares with.
    public init(
        environment: [String: String],
        monotonicMicroseconds: @escaping @Sendable () -> UInt64 = Notifier.systemMonotonicMicroseconds
    ) {
        socket = environment["NOTIFY_SOCKET"].flatMap(NotifySocket.init(address:))
        self.monotonicMicroseconds = monotonicMicroseconds
    }

    /// Whether anybody asked to be told.
    public var isHeard: Bool { socket != nil }

    /// The service works: its sockets listen and its cache is restored. Also ends a ``reloading()``.
    public func ready(status: String) throws(SystemCallError) {
        try send(["READY=1", Self.statusLine(status)])
    }

    /// The configuration is being loaded again; ``ready(status:)`` has to follow, even when it was refused.
    public func reloading() throws(SystemCallError) {
        try send(["RELOADING=1", "MONOTONIC_USEC=\(monotonicMicroseconds())"])
    }

    /// The service drains and will end.
    public func stopping(status: String) throws(SystemCallError) {
        try send(["STOPPING=1", Self.statusLine(status)])
    }

    /// One line for `systemctl status`.
    public func status(_ text: String) throws(SystemCallError) {
        try send([Self.statusLine(text)])
    }

    /// Still alive; due within every ``watchdogInterval(environment:process:)``.
    public func pingWatchdog() throws(SystemCallError) {
        try send(["WATCHDOG=1"])
    }

    /// Starting, reloading or stopping takes this much longer, counted from now.
    public func extendTimeout(by duration: Duration) throws(SystemCallError) {
        try send(["EXTEND_TIMEOUT_USEC=\(duration.saturatedMicroseconds)"])
    }

    /// `CLOCK_MONOTONIC` in microseconds.
    @Sendable
    public static func systemMonotonicMicroseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    }

    /// Assignments are separated by line feeds, so a status with one could say anything else.
    private static func statusLine(_ text: String) -> String {
        let bytes = text.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }
        return "STATUS=" + String(decoding: bytes, as: UTF8.self)
    }

    private func send(_ assignments: [String]) throws(SystemCallError) {
        try socket?.send(Array(assignments.joined(separator: "\n").utf8))
    }
}

extension Duration {
    /// Whole microseconds, none for a negative duration; a `Duration` holds more of them than an `Int64`.
    fileprivate var saturatedMicroseconds: Int64 {
        let (seconds, attoseconds) = max(self, .zero).components
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (sum, carry) = microseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        return overflow || carry ? .max : sum
    }
}
