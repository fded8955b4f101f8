import HTTPWire
import JSON
import TestSupport
import Testing

@Suite("The host's clocks", .blocking)
struct ClockTests {
    /// A broker on a host whose clocks the test sets; the simulator's are right.
    private struct Host {
        let simulator: SimulatorProcess
        let broker: BrokerProcess
        let clock: HostClock

        /// - Parameter others: Tokens beside `web`.
        init(ahead: Duration = .zero, others: Int = 0) throws {
            let scratch = try Scratch()
            simulator = try SimulatorProcess(scratch)
            var settings = try Settings(scratch, simulator)
            settings.addStore()
            for index in 0..<others { settings.addToken("other-\(index)") }
            clock = try HostClock(scratch, ahead: ahead)
            broker = try BrokerProcess(scratch, settings.text, clock: clock)
        }

        /// Fetches the token and checks that the provider takes it and that both clocks agree with its end.
        func fetchGood() throws -> Answer {
            let answer = try broker.fetch("web")
            try #require(answer.status == 200, "\(answer.json)")
            #expect(try simulator.suggest(#require(answer.text("access_token"))) == 200)
            #expect(try #require(answer.integer("expires_in")) > 0)
            #expect(try #require(answer.integer("expires_at_ms")) > clock.milliseconds)
            return answer
        }

        func states() throws -> Set<String> {
            Set(try broker.status()["tokens"]?.array?.compactMap { $0["state"]?.string } ?? [])
        }
    }

    // MARK: A wrong clock

    @Test(
        "a clock that is hours off changes nothing about a token's life, and status says how far off it is",
        arguments: [.seconds(-5 * 3600), .seconds(5 * 3600)] as [Duration]
    )
    func hoursOff(_ ahead: Duration) throws {
        let host = try Host(ahead: ahead)
        let answer = try host.fetchGood()
        #expect((3590...3600).contains(try #require(answer.integer("expires_in"))))
        // A local caller's subtraction comes out right.
        let end = try #require(answer.integer("expires_at_ms"))
        #expect((3590_000...3601_000).contains(end - host.clock.milliseconds))
        let skew = try #require(try host.broker.status(of: "web")["clock_skew_ms"]?.number?.int64)
        #expect(abs(skew + ahead.components.seconds * 1000) < 5000)
        #expect(try host.states() == ["ready"])
        #expect(try host.simulator.mints() == 1)
    }

    // MARK: A step

    @Test("a step that leaves the token alive by both clocks costs nothing", arguments: [-1200, 1200] as [Int64])
    func smallStep(_ seconds: Int64) throws {
        let host = try Host()
        let first = try host.fetchGood()
        try host.clock.step(.seconds(seconds))
        // Long enough for what a step queues, which is spread over three seconds.
        try Deadline.stays("it is served on", for: .seconds(4)) {
            try host.broker.fetch("web").text("access_token") == first.text("access_token")
        }
        try host.clock.step(.seconds(-seconds))
        #expect(try host.fetchGood().integer("expires_at_ms") == first.integer("expires_at_ms"))
        #expect(try host.simulator.mints() == 1)
    }

    @Test("a step beyond the token's end has it replaced once, unasked, and the step back changes nothing")
    func stepForwardsAndBack() throws {
        let host = try Host(others: 20)
        try Deadline.until("all are minted") { try host.simulator.mints() == 21 }
        // What comes in after the step is not older than that.
        try Deadline.until("all are in service") { try host.states() == ["ready"] }
        let first = try host.fetchGood()
        try host.clock.step(.seconds(7200))
        let second = try host.fetchGood()
        #expect(second.text("access_token") != first.text("access_token"))
        #expect((3590...3600).contains(try #require(second.integer("expires_in"))))
        try Deadline.until("all are replaced") { try host.states() == ["ready"] }
        let mints = try host.simulator.mints()
        #expect(mints == 42)
        try host.clock.step(.seconds(-7200))
        #expect(try host.fetchGood().text("access_token") == second.text("access_token"))
        #expect(try host.states() == ["ready"])
        try Deadline.stays("nothing is minted", for: .seconds(4)) { try host.simulator.mints() == 42 }
    }

    @Test("with the clock in doubt and the provider down nothing is served, and the token is back with the right time")
    func suspendedByStep() throws {
        let host = try Host()
        let first = try host.fetchGood()
        try host.simulator.behave(["status": 503])
        try host.clock.step(.seconds(7200))
        try Deadline.until("the token is put aside") { try host.broker.fetch("web").code == "provider_unavailable" }
        #expect(try host.states().isDisjoint(with: ["ready", "degraded"]))
        let asked = try host.simulator.requests()
        try Deadline.stays("it is not served", for: .seconds(2)) { try host.broker.fetch("web").status == 503 }
        #expect(try host.simulator.requests() - asked <= 4, "retries without a pause")
        try host.clock.step(.seconds(-7200))
        #expect(try host.broker.fetch("web").text("access_token") == first.text("access_token"))
        try host.simulator.behaveNormally()
        #expect(try host.fetchGood().text("access_token") == first.text("access_token"))
        #expect(try host.simulator.mints() == 1)
    }

    // MARK: A suspend

    @Test("a suspend beyond the token's end has it replaced within seconds, unasked")
    func suspendBeyondEnd() throws {
        let host = try Host()
        let first = try host.fetchGood()
        try host.clock.suspend(.seconds(7200))
        try Deadline.until("the next token", patience: .seconds(5)) { try host.simulator.mints() == 2 }
        let second = try host.fetchGood()
        #expect(second.text("access_token") != first.text("access_token"))
        #expect((3590...3600).contains(try #require(second.integer("expires_in"))))
        #expect(try host.simulator.mints() == 2)
    }

    @Test("the first caller after a suspend beyond the token's end gets a new one")
    func firstCallerAfterSuspend() throws {
        let host = try Host()
        _ = try host.fetchGood()
        for _ in 0..<3 {
            try host.clock.suspend(.seconds(3601))
            #expect(try #require(try host.fetchGood().integer("expires_in")) >= 3590)
        }
        #expect(try host.simulator.mints() == 4)
    }

    @Test("a suspend beyond the refresh point has the token refreshed, and served meanwhile")
    func suspendBeyondRefresh() throws {
        let host = try Host()
        let first = try host.fetchGood()
        try host.simulator.behave(["delay_ms": 1000])
        try host.clock.suspend(.seconds(3300))
        let meanwhile = try host.fetchGood()
        #expect(meanwhile.text("access_token") == first.text("access_token"))
        #expect((200...300).contains(try #require(meanwhile.integer("expires_in"))))
        try Deadline.until("the next token", patience: .seconds(5)) {
            try host.broker.fetch("web").text("access_token") != first.text("access_token")
        }
        #expect(try host.simulator.mints() == 2)
    }

    @Test("a caller who waits through a suspend is told that his time is over")
    func waitsThroughSuspend() throws {
        let host = try Host()
        _ = try host.fetchGood()
        try host.simulator.behave(["hang": true])
        try host.clock.suspend(.seconds(7200))
        let waiting = try host.broker.connect()
        try waiting.send("GET /v1/tokens/web HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=300\r\n\r\n")
        try Deadline.until("it waits") { try host.broker.status(of: "web")["waiters"] == 1 }
        let start = ContinuousClock.now
        try host.clock.suspend(.seconds(600))
        #expect(try [503, 504].contains(waiting.receive().status))
        #expect(ContinuousClock.now - start < .seconds(5))
    }
}
