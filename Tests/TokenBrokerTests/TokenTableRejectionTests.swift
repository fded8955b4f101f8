import Testing

@testable import TokenBroker

@Suite("A caller's report of a refused token")
struct TokenTableRejectionTests {
    @Test("brings another token to the caller, and the present one to others until then")
    func another() {
        var engine = Harness(.account())
        engine.mint("one")
        let (asked, waiter) = engine.reject("web", "one")
        #expect(asked.isWaiting)
        #expect(engine.ask("web").asked.served == "one")
        engine.mint("two")
        #expect(engine.answers[waiter]?.served == "two")
    }

    @Test("about a token that is not held any more is answered with the present one, without a mint")
    func stale() {
        var engine = Harness(.account())
        engine.mint("two")
        #expect(engine.reject("web", "one").asked.served == "two")
        #expect(engine.flights.isEmpty)
    }

    @Test("is shared: many reports of one token force one mint")
    func shared() {
        var engine = Harness(.account())
        engine.mint("one")
        let waiters = (0..<100).map { _ in engine.reject("web", "one").waiter }
        #expect(engine.flights.count == 1)
        engine.mint("two", .after(.seconds(60)))
        #expect(waiters.allSatisfy { engine.answers[$0]?.served == "two" })
    }

    @Test("is never answered with the refused token, whether the mint fails or brings it again")
    func neverBack() {
        var engine = Harness(.account())
        engine.mint("one")
        let first = engine.reject("web", "one").waiter
        engine.fail()
        #expect(engine.answers[first]?.failureClass == .transient)
        #expect(engine.reject("web", "one").asked.answer?.failureClass == .transient, "inside the backoff step")
        engine.advance(.seconds(2))
        let second = engine.reject("web", "one").waiter
        engine.mint("one", .after(.seconds(7200)))
        #expect(engine.answers[second]?.failureClass == .transient)
        #expect(engine.ask("web").asked.served == "one")
    }

    @Test("that comes while the token is being refreshed takes what that brings, also where it lives no longer")
    func joined() {
        var engine = Harness(.account())
        engine.mint("one", .after(.seconds(3600)))
        _ = engine.ask("web", minimum: .seconds(3595))
        engine.advance(.seconds(10))
        _ = engine.ask("web", minimum: .seconds(3595))
        #expect(engine.flights.count == 1)
        let waiter = engine.reject("web", "one").waiter
        engine.mint("two", .after(.seconds(3590)))
        #expect(engine.answers[waiter]?.served == "two")
        #expect(engine.ask("web").asked.served == "two")
    }

    @Test("with a spent allowance drops the token also while another is on its way, or a failure is waited out")
    func spentMeanwhile() {
        for isFailing in [false, true] {
            var engine = Harness(.account())
            engine.mint("one")
            _ = engine.forceRefresh("web")
            if isFailing { engine.fail() }
            let answer = engine.reject("web", "one", quotaCode: "spent").asked.answer
            #expect(answer?.failureClass == .quotaExhausted)
            #expect(engine.ask("web").asked.served == nil)
        }
    }

    @Test("has a budget: 5 at once, then one each 30 s")
    func budget() {
        var engine = Harness(.account())
        engine.mint("token0")
        for index in 0..<5 {
            #expect(engine.reject("web", "token\(index)").asked.isWaiting)
            engine.mint("token\(index + 1)")
        }
        guard case .tooManyRejections(let seconds)? = engine.reject("web", "token5").asked.answer else {
            Issue.record("a sixth was let through")
            return
        }
        #expect((1...30).contains(seconds))
        engine.advance(.seconds(30))
        #expect(engine.reject("web", "token5").asked.isWaiting)
    }
}

@Suite("The budget of mints that one user's callers force")
struct UserBudgetTests {
    private static let ann = Subject(id: "ann")

    @Test("is the same whether a report has the token replaced or dropped", arguments: [nil, "spent"])
    func outlivesToken(_ quotaCode: String?) throws {
        var engine = Harness(.account(isPerUser: true))
        var mints = 0
        for _ in 0..<30 {
            if engine.ask("web", for: Self.ann).asked.isWaiting {
                mints += 1
                engine.mint("token\(mints)")
            }
            let held = try #require(engine.ask("web", for: Self.ann).asked.served)
            if engine.reject("web", held, for: Self.ann, quotaCode: quotaCode).asked.isWaiting {
                mints += 1
                engine.mint("token\(mints)")
            }
            engine.advance(.milliseconds(10))
        }
        #expect(mints == 6)
    }

    @Test("keeps a user without a token until it is full again, and no longer")
    func remembered() {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Self.ann)
        for number in 0..<3 {
            engine.mint("token\(number)", .after(.seconds(100)))
            engine.advance(.seconds(10))
            // Two mints are forced by `min_ttl`.
            if number < 2 { _ = engine.ask("web", for: Self.ann, minimum: .seconds(95)) }
        }
        _ = engine.reject("web", "token2", for: Self.ann, quotaCode: "spent")
        engine.advance(.seconds(39))
        #expect(engine.table.entries.count == 1)
        engine.advance(.seconds(2))
        #expect(engine.table.entries.isEmpty)
    }

    @Test("is not kept for a user of whom nothing is held")
    func unknownUser() {
        var engine = Harness(.account(isPerUser: true))
        let asked = engine.reject("web", "token", for: Self.ann, quotaCode: "spent").asked
        #expect(asked.answer?.failureClass == .quotaExhausted)
        #expect(engine.table.entries.isEmpty)
    }
}

@Suite("A caller that waits for the next generation")
struct TokenTableNextGenerationTests {
    @Test("is answered when it comes, and at once where another one is served already")
    func next() throws {
        var engine = Harness(.account())
        engine.mint("one")
        let generation = try #require(engine.status("web")?.current?.generation)
        let (asked, waiter) = engine.awaitNext(after: generation, "web")
        #expect(asked.isWaiting)
        _ = engine.advanceToMint(within: .seconds(3600))
        #expect(engine.answers[waiter] == nil)
        engine.mint("two")
        #expect(engine.answers[waiter]?.served == "two")
        #expect(engine.awaitNext(after: generation, "web").asked.served == "two")
    }

    @Test("keeps an on-demand token fresh as long as it waits")
    func onDemand() throws {
        var engine = Harness(.account(refresh: .onDemand))
        _ = engine.ask("web")
        engine.mint("one")
        let generation = try #require(engine.status("web")?.current?.generation)
        _ = engine.awaitNext(after: generation, "web")
        #expect(engine.advanceToMint(within: .seconds(3600)) != nil)
    }

    @Test("is not answered for a refresh that fails while its token lives, and is told the reason when that has ended")
    func failure() throws {
        var engine = Harness(.account())
        engine.mint("one", .after(.seconds(60)))
        let generation = try #require(engine.status("web")?.current?.generation)
        let waiter = engine.awaitNext(after: generation, "web").waiter
        _ = engine.advanceToMint(within: .seconds(60))
        engine.fail()
        #expect(engine.answers[waiter] == nil)
        while engine.now.boot.since(Harness.start.boot) < .seconds(61), engine.answers[waiter] == nil {
            guard engine.advanceToMint(within: .seconds(60)) != nil else { break }
            engine.fail()
        }
        while engine.answers[waiter] == nil, engine.advanceToMint(within: .seconds(120)) != nil { engine.fail() }
        #expect(engine.answers[waiter]?.failureClass == .transient)
    }

    @Test("is told why there is none as soon as its token has ended, however long that is waited out, and not before")
    func endOfToken() throws {
        var engine = Harness(.account())
        engine.mint("one", .after(.seconds(8)))
        let generation = try #require(engine.status("web")?.current?.generation)
        let waiter = engine.awaitNext(after: generation, "web").waiter
        _ = engine.advanceToMint(within: .seconds(8))
        engine.fail(.rateLimited, asking: .seconds(300))
        engine.advance(Harness.start.boot.advanced(by: .seconds(7)).since(engine.now.boot))
        #expect(engine.answers[waiter] == nil)
        engine.advance(.milliseconds(1))
        #expect(engine.answers[waiter]?.failureClass == .rateLimited)
        #expect(engine.answers[waiter]?.retryAfter == engine.ask("web").asked.answer?.retryAfter)
        #expect(engine.status("web")?.waiters == 0)
        #expect(engine.flights.isEmpty)
    }

    @Test("that gives up is forgotten")
    func givesUp() throws {
        var engine = Harness(.account())
        engine.mint("one")
        let generation = try #require(engine.status("web")?.current?.generation)
        let waiter = engine.awaitNext(after: generation, "web").waiter
        engine.table.giveUp(waiter, on: TokenKey("web"))
        #expect(engine.status("web")?.waiters == 0)
    }
}

@Suite("Tokens of end users")
struct TokenTableUserTests {
    private static let definition = BrokerDefinition.account(isPerUser: true)

    @Test("are minted when first asked for, one for each user and plan")
    func perUser() {
        var engine = Harness(Self.definition)
        engine.advance(.seconds(86400))
        #expect(engine.flights.isEmpty)
        #expect(engine.ask("web", for: Subject(id: "ann")).asked.isWaiting)
        #expect(engine.ask("web", for: Subject(id: "ann", plan: "pro")).asked.isWaiting)
        #expect(engine.ask("web", for: Subject(id: "bob")).asked.isWaiting)
        engine.mint("ann")
        engine.mint("ann-pro")
        engine.mint("bob")
        #expect(engine.ask("web", for: Subject(id: "ann")).asked.served == "ann")
        #expect(engine.ask("web", for: Subject(id: "ann", plan: "pro")).asked.served == "ann-pro")
        #expect(engine.ask("web").asked.isUnknown, "there is no token without a user")
    }

    @Test("are let go of when nobody asks any more")
    func idle() {
        var engine = Harness(Self.definition)
        _ = engine.ask("web", for: Subject(id: "ann"))
        engine.mint("one")
        #expect(engine.advanceToMint(within: .seconds(3600)) != nil)
        engine.mint("two")
        engine.advance(.seconds(7200))
        #expect(engine.flights.isEmpty)
        #expect(engine.table.entries.isEmpty)
        #expect(engine.table.users.count == 0)
    }

    @Test("are bounded in number, the one not seen for longest goes first")
    func bounded() {
        var limits = Limits()
        limits.endUsers = 100
        var engine = Harness(.account(isPerUser: true, limits: limits))
        for index in 0..<250 {
            _ = engine.ask("web", for: Subject(id: "user\(index)"))
            engine.mint("token\(index)")
            _ = engine.ask("web", for: Subject(id: "user0"))
        }
        #expect(engine.table.entries.count == 100)
        #expect(engine.ask("web", for: Subject(id: "user0")).asked.served == "token0", "in use all the time")
        #expect(engine.ask("web", for: Subject(id: "user249")).asked.served == "token249")
        #expect(engine.ask("web", for: Subject(id: "user1")).asked.isWaiting)
    }

    @Test("one refused user changes nothing for another")
    func refusedUser() {
        var engine = Harness(Self.definition)
        _ = engine.ask("web", for: Subject(id: "blocked"))
        engine.fail(.userRefused)
        #expect(engine.ask("web", for: Subject(id: "blocked")).asked.answer?.failureClass == .userRefused)
        #expect(engine.ask("web", for: Subject(id: "good")).asked.isWaiting)
    }
}
