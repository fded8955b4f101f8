import Testing

@testable import TokenBroker

@Suite("A token's life")
struct TokenTableTests {
    @Test("mints a token that is kept ahead at start, and serves it without another mint")
    func mintsAhead() {
        var engine = Harness(.account())
        #expect(engine.flights.map(\.key) == [TokenKey("web")])
        engine.mint("one")
        #expect(engine.ask("web").asked.served == "one")
        #expect(engine.flights.isEmpty)
    }

    @Test("leaves an on-demand token alone until it is asked for")
    func onDemand() {
        var engine = Harness(.account(refresh: .onDemand))
        engine.advance(.seconds(86400))
        #expect(engine.flights.isEmpty)
        #expect(engine.status("web")?.state == .idle)
        #expect(engine.ask("web").asked.isWaiting)
        #expect(engine.flights.count == 1)
    }

    @Test("does not refresh an on-demand token that nobody asked for since its last refresh")
    func onDemandEndsWhenUnused() {
        var engine = Harness(.account(refresh: .onDemand))
        _ = engine.ask("web")
        engine.mint("one")
        #expect(engine.advanceToMint(within: .seconds(3600)) != nil, "asked for once, refreshed once")
        engine.mint("two")
        engine.advance(.seconds(86400))
        #expect(engine.flights.isEmpty)
        #expect(engine.ask("web").asked.isWaiting)
    }

    @Test("gives everyone who waits the one mint's token")
    func singleFlight() {
        var engine = Harness(.account())
        let waiters = (0..<500).map { _ in engine.ask("web").waiter }
        #expect(engine.flights.count == 1)
        engine.mint("one")
        #expect(waiters.allSatisfy { engine.answers[$0]?.served == "one" })
    }

    @Test("goes on with the mint when the caller who started it hangs up")
    func hangUp() {
        var engine = Harness(.account(refresh: .onDemand))
        let first = engine.ask("web").waiter
        let second = engine.ask("web").waiter
        engine.table.giveUp(first, on: TokenKey("web"))
        engine.mint("one")
        #expect(engine.answers[first] == nil)
        #expect(engine.answers[second]?.served == "one")
    }

    @Test("ends a mint at its deadline, whatever the provider does, and ignores what comes later")
    func flightDeadline() {
        var engine = Harness(.account())
        let waiter = engine.ask("web").waiter
        let flight = engine.flights[0].id
        engine.advance(.seconds(31))
        #expect(engine.cancelled == [flight])
        #expect(engine.answers[waiter]?.failureClass == .transient)
        let late = Mint(text: token("late"), expiry: .after(.seconds(3600)), requestedAt: engine.now)
        engine.table.flightEnded(flight, .success(late), at: engine.now)
        #expect(engine.status("web")?.current == nil)
    }

    @Test("refreshes between 70 and 85 % of the lifetime, and serves the old token meanwhile")
    func refreshesAhead() {
        var engine = Harness(.account())
        engine.mint("one")
        let age = engine.advanceToMint(within: .seconds(3600)) ?? .zero
        #expect((Duration.seconds(2520)...(.seconds(3060))).contains(age))
        #expect(engine.ask("web").asked.served == "one")
        engine.mint("two")
        #expect(engine.ask("web").asked.served == "two")
    }

    @Test("serves the live token while its refresh fails, says degraded, and keeps trying with growing pauses")
    func degraded() {
        var engine = Harness(.account())
        engine.mint("one")
        _ = engine.advanceToMint(within: .seconds(3600))
        engine.fail()
        let answer = engine.ask("web").asked.answer
        #expect(answer?.served == "one")
        #expect(answer?.isDegraded == true)
        #expect(engine.status("web")?.state == .degraded)
        var attempts = 0
        for _ in 0..<60 {
            engine.advance(.seconds(1))
            while !engine.flights.isEmpty {
                attempts += 1
                engine.fail()
            }
        }
        #expect((3...15).contains(attempts), "one attempt a step of an exponential backoff, not \(attempts)")
        _ = engine.advanceToMint(within: .seconds(65))
        engine.mint("two")
        #expect(engine.ask("web").asked.answer?.isDegraded == false)
    }

    @Test("never serves a token with less than a second left")
    func neverExpired() {
        var engine = Harness(.account())
        engine.mint("one")
        _ = engine.advanceToMint(within: .seconds(3600))
        engine.fail(.secretRejected)
        engine.now = Harness.start.advanced(by: .milliseconds(3_598_999))
        #expect(engine.ask("web").asked.served == "one")
        engine.now = Harness.start.advanced(by: .milliseconds(3_599_001))
        #expect(engine.ask("web").asked.served == nil)
    }

    @Test("repeats the failure while backing off, with the seconds to wait, and starts no mint")
    func sharedFailure() {
        var engine = Harness(.account())
        engine.fail(.secretRejected)
        for _ in 0..<100 {
            let answer = engine.ask("web").asked.answer
            #expect(answer?.failureClass == .secretRejected)
            #expect((answer?.retryAfter ?? 0) >= 1)
        }
        #expect(engine.flights.isEmpty)
    }

    @Test("does not hammer a provider that rejects the secret")
    func rejectedSecret() {
        var engine = Harness(.account())
        engine.fail(.secretRejected)
        var attempts = 0
        for _ in 0..<3600 {
            engine.advance(.seconds(1))
            while !engine.flights.isEmpty {
                attempts += 1
                engine.fail(.secretRejected)
            }
        }
        #expect((3...30).contains(attempts), "\(attempts) attempts in an hour")
    }

    @Test("lets one token probe for its whole account once a rejection is waited out")
    func probe() {
        var engine = Harness(.account(["a", "b", "c"]))
        engine.fail(.secretRejected)
        while !engine.flights.isEmpty { engine.fail(.secretRejected) }
        #expect(engine.advanceToMint(within: .seconds(1800)) != nil)
        #expect(engine.flights.count == 1)
        engine.mint("one")
        engine.advance(.zero)
        #expect(engine.flights.count == 2, "the others follow when the probe succeeds")
    }

    @Test("waits out the pause that the provider asked for, and no longer than the configured maximum")
    func retryAfter() {
        var engine = Harness(.account())
        engine.fail(.rateLimited, asking: .seconds(120))
        #expect(engine.ask("web").asked.answer?.retryAfter == 120)
        engine.advance(.seconds(119))
        #expect(engine.flights.isEmpty)
        engine.advance(.seconds(2))
        #expect(engine.flights.count == 1)
        engine.fail(.rateLimited, asking: .seconds(9_999_999_999))
        #expect(engine.ask("web").asked.answer?.retryAfter == 900)
    }

    @Test("waits out the pause beside any failure, and longer where that failure is waited out longer")
    func pauseBesideAnyFailure() {
        for failure in FailureClass.allCases {
            var engine = Harness(.account())
            engine.fail(failure, asking: .seconds(800))
            #expect(engine.ask("web").asked.answer?.retryAfter == 800, "\(failure)")
            engine.advance(.seconds(799))
            #expect(engine.flights.isEmpty, "\(failure)")
            engine.advance(.seconds(2))
            #expect(engine.flights.count == 1, "\(failure)")
        }
        var longest: Int64 = 0
        var engine = Harness(.account())
        for _ in 0..<20 {
            engine.fail(.secretRejected, asking: .seconds(1))
            longest = max(longest, engine.ask("web").asked.answer?.retryAfter ?? 0)
            _ = engine.advanceToMint(within: .seconds(1000))
        }
        #expect(longest > 30)
    }

    @Test("a pause of the account is told of each token that it keeps from being minted")
    func siblingsOfPause() throws {
        var engine = Harness(.account(["a", "b"], refresh: .onDemand))
        _ = engine.ask("a")
        engine.fail(.rateLimited, asking: .seconds(600), status: 429)
        let status = try #require(engine.status("b"))
        #expect(status.state == .rateLimited)
        #expect(status.failuresInARow == 1)
        #expect(status.lastFailure?.failure.providerStatus == 429)
    }

    @Test("an end that is later by less than a millisecond is no progress")
    func sameEnd() {
        var engine = Harness(.account())
        engine.mint("one", .after(.seconds(10)))
        #expect(engine.advanceToMint(within: .seconds(10)) != nil)
        let end = Harness.start.wall.advanced(by: .seconds(10))
        engine.mint("two", .at(end))
        #expect(engine.ask("web").asked.served == "one")
    }

    @Test("a server in trouble that names a pause holds up the account, and nothing else that is tried again soon does")
    func pauseOfServer() {
        var held = Harness(.account(["a", "b"], refresh: .onDemand))
        _ = held.ask("a")
        held.fail(.transient, asking: .seconds(600), status: 503)
        #expect(held.ask("b").asked.answer?.failureClass == .transient)
        #expect(held.ask("b").asked.answer?.retryAfter == 600)
        for (pause, status) in [(nil, 503), (.seconds(600), 408)] as [(Duration?, Int)] {
            var engine = Harness(.account(["a", "b"], refresh: .onDemand))
            _ = engine.ask("a")
            engine.fail(.transient, asking: pause, status: status)
            #expect(engine.ask("b").asked.isWaiting)
        }
    }

    @Test("a pause of the account never blocks tokens that are valid")
    func pauseLeavesValidTokens() {
        var engine = Harness(.account(["a", "b"]))
        engine.mint("one")
        engine.fail(.rateLimited, asking: .seconds(600))
        #expect(engine.ask("a").asked.served == "one")
        #expect(engine.ask("b").asked.answer?.failureClass == .rateLimited)
    }

    @Test("bounds the mints under way at one account and lets the rest follow in turn")
    func boundedConcurrency() {
        let names = (0..<20).map { Name("t\($0)")! }
        var engine = Harness(.account(names))
        #expect(engine.flights.count == ProviderAccount.concurrentMints)
        var minted = 0
        while !engine.flights.isEmpty {
            engine.mint("token\(minted)")
            minted += 1
            #expect(engine.flights.count <= ProviderAccount.concurrentMints)
        }
        #expect(minted == 20)
    }

    @Test(
        "what waits for its turn is not asked for where the account is to be left alone",
        arguments: [.secretRejected, .rateLimited] as [FailureClass]
    )
    func putOff(_ failureClass: FailureClass) {
        let names = (0..<20).map { Name("t\($0)")! }
        var engine = Harness(.account(names))
        let waiters = names.map { engine.ask($0).waiter }
        while !engine.flights.isEmpty { engine.fail(failureClass, asking: .seconds(600)) }
        for waiter in waiters { #expect(engine.answers[waiter]?.failureClass == failureClass) }
        let failures = names.map { engine.status($0)?.failures ?? 0 }
        #expect(failures.reduce(0, +) == ProviderAccount.concurrentMints)
        // They were all under way when the first one failed.
        #expect(engine.status("t0")?.failuresInARow == 1)
        #expect(engine.advanceToMint(within: .seconds(900)) != nil)
        #expect(engine.flights.count == 1)
        while let _ = engine.advanceToMint(within: .seconds(900)) { engine.mint("x") }
        for name in names { #expect(engine.ask(name).asked.served == "x") }
    }

    @Test("spreads the refreshes of tokens that were minted in one instant")
    func spreadsRefreshes() {
        let names = (0..<1000).map { Name("t\($0)")! }
        var engine = Harness(.account(names))
        while !engine.flights.isEmpty { engine.mint("x") }
        var busiest = 0
        for _ in 0..<1080 {
            engine.advance(.seconds(3))
            busiest = max(busiest, engine.flights.count)
            while !engine.flights.isEmpty { engine.mint("y\(engine.now.boot.nanoseconds)") }
        }
        #expect(busiest <= 20, "\(busiest) refreshes within 3 seconds of a 9-minute spread")
    }
}
