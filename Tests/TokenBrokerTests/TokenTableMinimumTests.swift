import Testing

@testable import TokenBroker

@Suite("A caller's min_ttl")
struct TokenTableMinimumTests {
    @Test("is met by a fresh mint when the token held has less left")
    func fresh() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.advance(.seconds(100))
        let (asked, waiter) = engine.ask("web", minimum: .seconds(3550))
        #expect(asked.isWaiting)
        engine.mint("two")
        #expect(engine.answers[waiter]?.served == "two")
    }

    @Test("is answered with the valid token when the mint for it fails, and not tried again while backing off")
    func failing() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.advance(.seconds(100))
        let waiter = engine.ask("web", minimum: .seconds(3550)).waiter
        engine.fail()
        #expect(engine.answers[waiter]?.served == "one")
        #expect(engine.ask("web", minimum: .seconds(3550)).asked.served == "one")
        #expect(engine.flights.isEmpty)
    }

    @Test("that no token of this provider can meet is answered with what there is")
    func impossible() {
        var engine = Harness(.account())
        engine.mint("one", .after(.seconds(60)))
        engine.advance(.seconds(2))
        #expect(engine.ask("web", minimum: .seconds(3600)).asked.served == "one")
        #expect(engine.flights.isEmpty)
    }

    @Test("is met by one mint for each token held, whatever that brought")
    func onceAGeneration() {
        var engine = Harness(.account())
        engine.mint("one")
        engine.advance(.seconds(100))
        _ = engine.ask("web", minimum: .seconds(3550))
        engine.mint("one")
        engine.advance(.seconds(300))
        #expect(engine.ask("web", minimum: .seconds(3550)).asked.served == "one")
        #expect(engine.flights.isEmpty)
        #expect(engine.advanceToMint(within: .seconds(3600)) != nil)
        engine.mint("two")
        engine.advance(.seconds(100))
        #expect(engine.ask("web", minimum: .seconds(3550)).asked.isWaiting)
    }

    @Test("cannot make the broker mint again and again")
    func budget() {
        var engine = Harness(.account())
        engine.mint("one")
        var mints = 0
        for _ in 0..<120 {
            engine.advance(.seconds(2))
            if engine.ask("web", minimum: .seconds(3599)).asked.isWaiting {
                engine.mint("forced\(mints)")
                mints += 1
            }
        }
        #expect((5...14).contains(mints), "5 at once, then one in 30 s: \(mints) in 4 minutes")
    }
}
