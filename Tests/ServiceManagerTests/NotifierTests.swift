import ServiceManager
import Testing

@Suite("Notifier")
struct NotifierTests {
    let listener: NotifyListener
    let notifier: Notifier

    init() throws {
        listener = try NotifyListener()
        notifier = Notifier(environment: listener.environment, monotonicMicroseconds: { 1_234_567 })
    }

    @Test("says that it is ready, with a status")
    func ready() throws {
        try notifier.ready(status: "Serving 3 tokens")
        #expect(listener.receive() == ["READY=1", "STATUS=Serving 3 tokens"])
    }

    @Test("says that it reloads, and since when")
    func reloading() throws {
        try notifier.reloading()
        #expect(listener.receive() == ["RELOADING=1", "MONOTONIC_USEC=1234567"])
    }

    @Test("says that it stops")
    func stopping() throws {
        try notifier.stopping(status: "Draining")
        #expect(listener.receive() == ["STOPPING=1", "STATUS=Draining"])
    }

    @Test("pings the watchdog")
    func ping() throws {
        try notifier.pingWatchdog()
        #expect(listener.receive() == ["WATCHDOG=1"])
        #expect(listener.receive() == nil)
    }

    @Test("a status cannot bring assignments of its own")
    func injection() throws {
        try notifier.status("a\nREADY=1\r\0b")
        #expect(listener.receive() == ["STATUS=a READY=1  b"])
    }

    @Test(
        "asks for more time in microseconds, whatever the duration",
        arguments: [
            (Duration.milliseconds(1500), "1500000"),
            (.seconds(-1), "0"),
            (.seconds(Int64.max), "9223372036854775807"),
        ]
    )
    func extend(_ duration: Duration, _ microseconds: String) throws {
        try notifier.extendTimeout(by: duration)
        #expect(listener.receive() == ["EXTEND_TIMEOUT_USEC=\(microseconds)"])
    }

    @Test("reaches an abstract name")
    func abstract() throws {
        let listener = try NotifyListener(abstract: true)
        try Notifier(environment: listener.environment).pingWatchdog()
        #expect(listener.receive() == ["WATCHDOG=1"])
    }

    @Test(
        "does nothing when nobody asked, or under an address that cannot be one",
        arguments: [nil, "", "@", "relative", "/" + String(repeating: "x", count: 200)]
    )
    func absent(_ address: String?) throws {
        try Notifier(environment: address.map { ["NOTIFY_SOCKET": $0] } ?? [:]).ready(status: "")
    }

    @Test("a manager that is gone is an error, not the end")
    func gone() {
        let notifier = Notifier(environment: ["NOTIFY_SOCKET": "/nonexistent/notify"])
        let error = #expect(throws: SystemCallError.self) { try notifier.pingWatchdog() }
        #expect(error?.description == "sendto: No such file or directory")
    }

    @Test("the live clock is monotonic")
    func clock() {
        let before = Notifier.systemMonotonicMicroseconds()
        #expect(before > 0)
        #expect(Notifier.systemMonotonicMicroseconds() >= before)
    }
}

@Suite("Watchdog interval")
struct WatchdogIntervalTests {
    @Test(
        "is systemd's when it is meant for this process",
        arguments: [
            (["WATCHDOG_USEC": "30000000"], Duration.seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"], .seconds(30)),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"], nil),
            (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"], nil),
            (["WATCHDOG_USEC": "0"], nil),
            (["WATCHDOG_USEC": "-1"], nil),
            (["WATCHDOG_USEC": "1s"], nil),
            ([:], nil),
        ] as [([String: String], Duration?)]
    )
    func interval(_ environment: [String: String], _ interval: Duration?) {
        #expect(Notifier.watchdogInterval(environment: environment, process: 42) == interval)
    }
}
