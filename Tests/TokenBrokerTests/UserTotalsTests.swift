import Testing

@testable import TokenBroker

@Suite("The status of end users' tokens")
struct UserTotalsTests {
    @Test("counts the users, their mints and their failures")
    func counts() throws {
        var engine = Harness(.account(isPerUser: true))
        #expect(engine.status("web")?.state == .idle)
        _ = engine.ask("web", for: Subject(id: "ann"))
        engine.mint("of-ann", .unstated)
        _ = engine.ask("web", for: Subject(id: "bob"))
        engine.fail(.userRefused)
        let status = try #require(engine.status("web"))
        #expect(status.state == .ready)
        #expect(status.users == 2)
        #expect(status.mints == 1)
        #expect(status.failures == 1)
        #expect(status.lastFailure?.failure.failureClass == .userRefused)
    }

    @Test("forgets users who are gone, and tells the account's trouble")
    func forgets() throws {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Subject(id: "ann"))
        engine.mint("of-ann", .after(.seconds(60)))
        // Once more for the caller who asked; then nobody has.
        #expect(engine.advanceToMint(within: .seconds(60)) != nil)
        engine.mint("of-ann-again", .after(.seconds(60)))
        engine.advance(.seconds(120))
        #expect(engine.status("web")?.users == 0)
        _ = engine.ask("web", for: Subject(id: "ann"))
        engine.fail(.secretRejected)
        #expect(engine.status("web")?.state == .secretRejected)
    }

    @Test("says what keeps the users from having tokens where no user is well")
    func noneWell() throws {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Subject(id: "ann"))
        #expect(engine.status("web")?.state == .minting)
        engine.fail()
        let failing = try #require(engine.status("web"))
        #expect(failing.state == .backingOff)
        #expect(failing.failuresInARow == 1)
        #expect(!failing.isServable)
        _ = engine.ask("web", for: Subject(id: "bob"))
        engine.mint("of-bob")
        let mended = try #require(engine.status("web"))
        #expect(mended.state == .ready)
        #expect(mended.failuresInARow == 0)
        #expect(mended.isServable)
    }

    @Test("is degraded where the refresh failed of every user who has a token")
    func degraded() throws {
        var engine = Harness(.account(isPerUser: true))
        _ = engine.ask("web", for: Subject(id: "ann"))
        engine.mint("of-ann")
        _ = engine.ask("web", for: Subject(id: "ann"))
        #expect(engine.advanceToMint(within: .seconds(3600)) != nil)
        engine.fail()
        let status = try #require(engine.status("web"))
        #expect(status.state == .degraded)
        #expect(status.failuresInARow == 1)
        #expect(status.isServable)
    }

    @Test("counts the callers who wait for any user's token")
    func waiters() throws {
        var engine = Harness(.account(isPerUser: true))
        let ann = Subject(id: "ann")
        _ = engine.ask("web", for: ann)
        _ = engine.ask("web", for: Subject(id: "bob"))
        #expect(engine.status("web")?.waiters == 2)
        engine.mint("of-ann")
        engine.mint("of-bob")
        #expect(engine.status("web")?.waiters == 0)
        let generation = try #require(engine.table.entries[TokenKey("web", ann)]?.current?.generation)
        let poll = engine.awaitNext(after: generation, "web", for: ann)
        #expect(engine.status("web")?.waiters == 1)
        engine.table.giveUp(poll.waiter, on: TokenKey("web", ann))
        #expect(engine.status("web")?.waiters == 0)
    }

    @Test("warns of a lifetime that nobody named once for all users")
    func warnsOnce() {
        var engine = Harness(.account(isPerUser: true))
        for user in ["ann", "bob"] {
            _ = engine.ask("web", for: Subject(id: user))
            engine.mint("of-\(user)", .unstated)
        }
        let warnings = engine.events.count { if case .lifetimeUnstated = $0 { true } else { false } }
        #expect(warnings == 1)
    }
}
