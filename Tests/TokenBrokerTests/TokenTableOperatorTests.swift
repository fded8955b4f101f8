import Testing

@testable import TokenBroker

@Suite("An operator's steps")
struct TokenTableOperatorTests {
    @Test("a forced refresh replaces the token even by one that ends no later")
    func forced() {
        var engine = Harness(.account())
        engine.mint("one")
        let waiter = engine.forceRefresh("web").waiter
        engine.mint("two", .after(.seconds(600)))
        #expect(engine.answers[waiter]?.served == "two")
        #expect(engine.ask("web").asked.served == "two")
    }

    @Test("a mint that somebody forced is reported as such, and no other")
    func forcedEvents() {
        var engine = Harness(.account())
        engine.mint("one")
        _ = engine.forceRefresh("web")
        engine.mint("two")
        let forced = engine.events.compactMap { event -> Bool? in
            if case .minted(_, _, _, let isForced) = event { isForced } else { nil }
        }
        #expect(forced == [false, true])
    }

    @Test("a forced refresh that fails leaves the token in service and says why")
    func forcedFailure() {
        var engine = Harness(.account())
        engine.mint("one")
        let waiter = engine.forceRefresh("web").waiter
        engine.fail(.secretRejected)
        #expect(engine.answers[waiter]?.failureClass == .secretRejected)
        #expect(engine.ask("web").asked.served == "one")
    }

    @Test("the same token minted again is no progress: it is served on and asked for with pauses")
    func noProgress() {
        var engine = Harness(.account())
        engine.mint("one")
        _ = engine.advanceToMint(within: .seconds(3600))
        var mints = 0
        for _ in 0..<60 {
            while !engine.flights.isEmpty {
                engine.end(
                    .success(Mint(text: token("one"), expiry: .after(.seconds(60)), requestedAt: engine.now))
                )
                mints += 1
            }
            engine.advance(.seconds(1))
        }
        #expect((2...15).contains(mints), "\(mints) mints in a minute")
        #expect(engine.ask("web").asked.answer?.isDegraded == false)
    }

    @Test("a dropped token is minted anew")
    func drop() {
        var engine = Harness(.account())
        engine.mint("one")
        let dropped = engine.table.drop("web", at: engine.now)
        #expect(dropped)
        engine.settle()
        #expect(engine.ask("web").asked.isWaiting)
        engine.advance(.zero)
        #expect(engine.flights.count == 1)
        let droppedNothing = engine.table.drop("nothing", at: engine.now)
        #expect(!droppedNothing)
    }

    @Test("a generation only grows and is never used twice")
    func generations() {
        var engine = Harness(.account(["a", "b"]))
        var seen: [Int64] = []
        for round in 0..<10 {
            while !engine.flights.isEmpty { engine.mint("\(round)\(engine.flights.count)") }
            seen += ["a", "b"].compactMap { engine.status($0)?.current?.generation.number }
            _ = engine.table.drop("a", at: engine.now)
            _ = engine.table.drop("b", at: engine.now)
            engine.advance(.zero)
        }
        #expect(seen.count == 20)
        #expect(Set(seen).count == 20)
    }

    @Test("a reload keeps what did not change and withdraws what did")
    func reload() {
        var engine = Harness(.account(["a", "b"]))
        engine.mint("one")
        engine.mint("two")
        let old = BrokerDefinition.account(["a", "b"])
        var tokens = old.tokens
        tokens["b"] = TokenDefinition(name: "b", provider: "account", options: Options(["product_id": "another"]))
        let new = BrokerDefinition(secrets: old.secrets, providers: old.providers, tokens: tokens)
        engine.table.reload(new, at: engine.now)
        engine.advance(.zero)
        #expect(engine.ask("a").asked.served == "one")
        #expect(engine.ask("b").asked.isWaiting)
        #expect(engine.flights.map(\.key) == [TokenKey("b")])
    }

    @Test("a user who is let go of for another's sake is told that there are too many")
    func crowded() throws {
        var limits = Limits()
        limits.endUsers = 1
        var engine = Harness(.account(isPerUser: true, limits: limits))
        let (ann, bob) = (Subject(id: "ann"), Subject(id: "bob"))
        _ = engine.ask("web", for: ann)
        engine.mint("one")
        let generation = try #require(engine.table.entries[TokenKey("web", ann)]?.current?.generation)
        let waiter = WaiterID(number: 7000)
        _ = engine.table.awaitNext(after: generation, TokenKey("web", ann), waiter: waiter, at: engine.now)
        _ = engine.ask("web", for: bob)
        #expect(engine.answers[waiter]?.failureClass == .transient)
    }

    @Test("a reload that removes a token answers those who wait for it")
    func reloadRemoves() {
        var engine = Harness(.account(["a"]))
        let waiter = engine.ask("a").waiter
        engine.table.reload(BrokerDefinition(), at: engine.now)
        engine.settle()
        guard case .withdrawn? = engine.answers[waiter] else {
            Issue.record("the caller was not answered")
            return
        }
        #expect(engine.cancelled.count == 1)
        #expect(engine.ask("a").asked.isUnknown)
    }
}
