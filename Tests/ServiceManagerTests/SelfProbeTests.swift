import ServiceManager
import Testing

@Suite("Self probe")
struct SelfProbeTests {
    private let listener: NotifyListener
    private let notifier: Notifier
    private var probe = SelfProbe(["loop", "timer", "store"])

    init() throws {
        listener = try NotifyListener()
        notifier = Notifier(environment: listener.environment)
    }

    /// What a service does with an answer.
    private mutating func answer(_ part: String) throws {
        if probe.answered(part) { try notifier.pingWatchdog() }
    }

    @Test("pings once everybody has answered, once a round")
    mutating func rounds() throws {
        for _ in 1...2 {
            #expect(probe.ask() == ["loop", "timer", "store"])
            try answer("store")
            try answer("loop")
            #expect(listener.receive() == nil)
            try answer("timer")
            #expect(listener.receive() == ["WATCHDOG=1"])
            #expect(listener.receive() == nil)
            #expect(probe.missing == [])
        }
    }

    @Test("a part that hangs keeps the ping back, whatever the time", arguments: ["loop", "timer", "store"])
    mutating func hangs(_ wedged: String) throws {
        _ = probe.ask()
        for part in ["loop", "timer", "store"] where part != wedged { try answer(part) }
        for _ in 1...10 {
            #expect(probe.ask() == [])
            #expect(probe.missing == [wedged])
        }
        #expect(listener.receive() == nil)
        try answer(wedged)
        #expect(listener.receive() == ["WATCHDOG=1"])
    }

    @Test("who could not be asked is asked again in the same round, and alone")
    mutating func failed() throws {
        _ = probe.ask()
        try answer("timer")
        probe.failed("loop")
        #expect(probe.missing == ["loop", "store"])
        #expect(probe.ask() == ["loop"])
        #expect(probe.ask() == [])
        try answer("loop")
        try answer("store")
        #expect(listener.receive() == ["WATCHDOG=1"])
    }

    @Test("an answer that nobody waits for is no reason to ping")
    mutating func unasked() throws {
        try answer("loop")
        probe.failed("loop")
        _ = probe.ask()
        for _ in 1...3 { try answer("loop") }
        #expect(probe.missing == ["timer", "store"])
        #expect(listener.receive() == nil)
    }
}
