import Testing

@testable import TokenBroker

@Suite("A token's life on two clocks")
struct TokenTableClockTests {
    @Test("a token that ran out during a suspend is not served, and its successor is minted at once")
    func suspend() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.jump(boot: .seconds(7200), wall: .seconds(7200))
        #expect(engine.ask("web").asked.isWaiting)
        #expect(engine.flights.count == 1)
    }

    @Test("a wall clock that jumps ahead suspends the token, and one that is put right brings it back")
    func wallForwardAndBack() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.jump(wall: .seconds(7200))
        #expect(engine.status("web")?.state == .suspended)
        engine.jump(wall: .seconds(-7200))
        #expect(engine.ask("web").asked.served == "one")
    }

    @Test("a token that came while the clock was behind is served on when that is put right")
    func putRight() {
        var engine = Harness(.account())
        let providerNow = engine.now.wall.advanced(by: .seconds(86400))
        engine.mint("one", .after(.seconds(3600)), providerDate: providerNow)
        engine.jump(wall: .seconds(86400))
        #expect(engine.ask("web").asked.served == "one")
        #expect(engine.status("web")?.state == .ready)
        engine.jump(wall: .seconds(3600))
        #expect(engine.status("web")?.state == .suspended)
    }

    @Test("a suspended token is suspended after a restart, too")
    func suspendedOverRestart() throws {
        var engine = Harness(.account(), hasStore: true)
        engine.table.restore(RestoredState(), bootID: BootID("boot"), at: engine.now)
        engine.mint("one")
        engine.jump(wall: .seconds(36000))
        let row = try #require(engine.saved.last)
        var next = Harness(.account(), hasStore: true, at: engine.now)
        let stamp = WriteStamp(bootID: BootID("boot"), writtenAt: engine.now.wall)
        let state = RestoredState(tokens: [Stamped(row, stamp)], newestWrite: engine.now.wall)
        next.table.restore(state, bootID: BootID("boot"), at: next.now)
        #expect(next.status("web")?.state == .suspended)
        #expect(next.ask("web").asked.served == nil)
        next.jump(wall: .seconds(-36000))
        #expect(next.ask("web").asked.served == "one")
    }

    @Test("a suspended token is replaced within seconds by one mint")
    func suspendedIsReplaced() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.jump(wall: .seconds(7200))
        engine.advance(.seconds(4))
        #expect(engine.flights.count == 1)
        engine.mint("two")
        #expect(engine.ask("web").asked.served == "two")
    }

    @Test("a wall clock set back does not make a token live longer")
    func wallBackward() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.jump(wall: .seconds(-86400))
        #expect(engine.ask("web").asked.served == "one")
        engine.now = Moment(boot: Harness.start.boot.advanced(by: .seconds(3600)), wall: engine.now.wall)
        #expect(engine.ask("web").asked.served == nil)
    }

    @Test("the end is told on the host's clock where that is off, and as the provider's number where it agrees")
    func expiryOnHostClock() {
        var engine = Harness(.account())
        let providerNow = engine.now.wall.advanced(by: .seconds(3))
        engine.mint("one", .at(providerNow.advanced(by: .seconds(600))), providerDate: providerNow)
        #expect(
            engine.status("web")?.current?.expiry(onHostClockAt: engine.now) == providerNow.advanced(by: .seconds(600))
        )

        var skewed = Harness(.account())
        let farOff = skewed.now.wall.advanced(by: .seconds(-7200))
        skewed.mint("one", .at(farOff.advanced(by: .seconds(600))), providerDate: farOff)
        #expect(skewed.ask("web").asked.served == "one")
        let expiry = skewed.status("web")?.current?.expiry(onHostClockAt: skewed.now)
        #expect(expiry == skewed.now.wall.advanced(by: .seconds(600)))
    }
}
