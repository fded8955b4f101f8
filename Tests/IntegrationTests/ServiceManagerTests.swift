import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("What the service manager is told", .blocking)
struct ServiceManagerTests {
    /// A broker with a store that reports to a service manager of the test's own.
    private struct Supervised {
        let scratch: Scratch
        let manager: NotifySocket
        let simulator: SimulatorProcess
        let broker: BrokerProcess
        let settings: Settings

        init(watchdog: Duration? = nil, options: String = "") throws {
            scratch = try Scratch()
            manager = try NotifySocket(scratch)
            simulator = try SimulatorProcess(scratch)
            var settings = try Settings(scratch, simulator, options: options)
            settings.addStore()
            self.settings = settings
            var environment = ["NOTIFY_SOCKET=\(manager.path)"]
            if let watchdog { environment.append("WATCHDOG_USEC=\(Int(watchdog / .microseconds(1)))") }
            broker = try BrokerProcess(scratch, settings.text, environment: environment)
        }
    }

    @Test("it is ready, and its status says in words how the tokens are")
    func status() throws {
        let site = try Supervised()
        try site.manager.message(with: "READY=1\nSTATUS=")
        try Deadline.until("a token") { try site.broker.fetch("web").status == 200 }
        // It may have been there in time to be in the first status.
        try site.simulator.behave(["status": 500])
        _ = try site.broker.admin(.post, "/v1/tokens/web/refresh")
        #expect(try site.manager.message(with: "degraded") == "STATUS=0 tokens ready, 1 degraded: web")
        try site.simulator.behaveNormally()
        _ = try site.broker.admin(.post, "/v1/tokens/web/refresh")
        #expect(try site.manager.message(with: "STATUS=1") == "STATUS=1 token ready")
    }

    @Test("a reload is told with its instant and ends, whether the file is taken or not", arguments: [true, false])
    func reload(isValid: Bool) throws {
        let site = try Supervised()
        try site.manager.message(with: "READY=1")
        if !isValid { try site.broker.rewrite("nonsense: 1\n") }
        var before = timespec()
        clock_gettime(CLOCK_MONOTONIC, &before)
        #expect(try (site.broker.admin(.post, "/v1/reload").status == 200) == isValid)
        let lines = try site.manager.message(with: "RELOADING=1\n").split(separator: "\n")
        let instant = try #require(lines.last?.split(separator: "=").last.flatMap { Int($0) })
        #expect(instant >= before.tv_sec * 1_000_000 + before.tv_nsec / 1000)
        try site.manager.message(with: "READY=1")
    }

    @Test("a stop is told first, and asks for the time that a drain may take")
    func stop() throws {
        let site = try Supervised()
        try site.manager.message(with: "READY=1")
        site.broker.process.send(SIGTERM)
        try site.manager.message(with: "STOPPING=1\nSTATUS=draining")
        #expect(try site.manager.message(with: "EXTEND") == "EXTEND_TIMEOUT_USEC=5000000")
        try site.manager.message(with: "STATUS=saving")
        #expect(try site.manager.message(with: "EXTEND") == "EXTEND_TIMEOUT_USEC=30000000")
        #expect(try site.broker.process.waitForEnd() == 0)
    }

    @Test(
        "a stop that waits for a slow disk is not cut short, and no reload comes in between",
        .enabled(if: StoppedThread.isPossible, "only root can stop a thread, and with python3")
    )
    func slowStop() throws {
        let site = try Supervised()
        try site.manager.message(with: "READY=1")
        // The store's thread is the first that the daemon starts.
        var stopped: StoppedThread? = try StoppedThread(site.broker.threadNumbers[1])
        site.broker.process.send(SIGTERM)
        try site.manager.message(with: "STATUS=saving")
        try site.manager.message(with: "EXTEND_TIMEOUT_USEC=30000000")
        site.broker.process.send(SIGHUP)
        // More than a drain may take.
        try Deadline.stays("silence", for: .seconds(6)) { try site.manager.next() == nil }
        withExtendedLifetime(stopped) {}
        stopped = nil
        #expect(try site.broker.process.waitForEnd() == 0)
        #expect(!site.broker.log.text.contains("reloaded"))
    }

    @Test("the watchdog is pinged while a provider hangs and callers wait for it")
    func hungProvider() throws {
        let site = try Supervised(watchdog: .milliseconds(400), options: Site.onDemand)
        try site.simulator.behave(["hang": true])
        let caller = try site.broker.connect()
        try caller.send("GET /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try Deadline.until("it hangs") { try site.simulator.requestsInFlight() == 1 }
        try site.manager.forgetAll()
        for _ in 1...10 { try site.manager.message(with: "WATCHDOG=1") }
        #expect(try site.simulator.requestsInFlight() == 1)
        #expect(site.broker.log.lines.allSatisfy { !$0.contains("sign of life") })
    }

    @Test("without an interval the watchdog is not pinged")
    func unwatched() throws {
        let site = try Supervised()
        site.broker.process.send(SIGTERM)
        #expect(try site.broker.process.waitForEnd() == 0)
        while let message = try site.manager.next() { #expect(!message.contains("WATCHDOG")) }
    }

    enum Wedged: String, CaseIterable, Sendable {
        case control
        case serving = "apps socket"
        case store = "store thread"
    }

    @Test(
        "no ping while a loop or the store's thread hangs, and again when it goes on",
        .enabled(if: StoppedThread.isPossible, "only root can stop a thread, and with python3"),
        arguments: Wedged.allCases
    )
    func wedged(_ wedged: Wedged) throws {
        let site = try Supervised(watchdog: .milliseconds(400))
        try site.manager.message(with: "WATCHDOG=1")
        let threads = try site.broker.threadNumbers
        var stopped: StoppedThread? =
            switch wedged {
            case .control: try StoppedThread(threads[0])
            case .serving: try StoppedThread(site.broker.thread(named: "serving"))
            // It is the first that the daemon starts.
            case .store: try StoppedThread(threads[1])
            }
        // The control loop, which says so where it still runs, has come by since; what it sent before is forgotten.
        if wedged != .control { try site.broker.log.line(with: "No sign of life", wedged.rawValue) }
        try site.manager.forgetAll()
        try Deadline.stays("silence", for: .seconds(1)) { try site.manager.next() == nil }
        withExtendedLifetime(stopped) {}
        stopped = nil
        try site.manager.message(with: "WATCHDOG=1")
    }
}
