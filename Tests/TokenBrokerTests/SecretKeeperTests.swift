import TestSupport
import Testing

@testable import TokenBroker

@Suite("A secret in a file")
struct FileSecretTests {
    /// Has a bad value refused until it is left alone.
    private func refuseForTenMinutes(_ world: SecretWorld) async throws {
        world.provider.set("bad", .refuses)
        await world.write("bad")
        let refusals = { world.log.steps.count { if case .refused = $0 { true } else { false } } }
        for attempt in 1...15 {
            try await world.until { refusals() == attempt && world.report?.trial?.nextAttempt != nil }
            try await world.advance(.seconds(40))
        }
        try await world.until { refusals() == 16 }
    }

    @Test("is in force at once when it is the first")
    func first() async throws {
        let world = await SecretWorld()
        #expect(world.active == "one")
        try await world.until { world.served?.hasPrefix("one-1") == true }
        #expect(world.log.steps == [.began])
    }

    @Test("is proven before it takes the place of the one before, whose token is served on until then")
    func promoted() async throws {
        let world = await SecretWorld()
        try await world.until { world.served?.hasPrefix("one-1") == true }
        world.provider.set("two", .hangsUp)
        await world.write("two")
        try await world.until { world.report?.trial?.nextAttempt != nil }
        #expect(world.active == "one")
        #expect(world.served?.hasPrefix("one-1") == true)
        world.provider.set("two", .takes)
        try await world.advance(.seconds(40))
        try await world.until { world.active == "two" }
        #expect(world.states == [.retiring, .active])
        // The mint that proved the key is kept.
        try await world.until { world.served?.hasPrefix("two-") == true }
        #expect(world.log.steps.suffix(2) == [.verified, .promoted(isFinal: false)])
    }

    @Test("changes nothing when the provider refuses it, and is left alone ten minutes later, until it changes")
    func refused() async throws {
        let world = await SecretWorld()
        try await refuseForTenMinutes(world)
        #expect(world.active == "one")
        for _ in 0..<10 { try await world.advance(.seconds(400)) }
        #expect(world.provider.keys.count { $0 == "bad" } == 16)
        #expect(world.report?.needsAttention == true)
        await world.write("good")
        try await world.until { world.active == "good" }
        #expect(world.report?.needsAttention == false)
    }

    @Test("is tried again after a restart when it was refused before, and has ten minutes of its own")
    func refusedBeforeRestart() async throws {
        let world = await SecretWorld()
        try await refuseForTenMinutes(world)
        let next = await SecretWorld(value: "bad", refused: "bad", journal: world.journal.copy())
        try await next.until { next.report?.trial?.nextAttempt != nil }
        #expect(next.active == "one")
        next.provider.set("bad", .takes)
        try await next.advance(.seconds(40))
        try await next.until { next.active == "bad" }
    }

    @Test("is tried for ten minutes with refusals, however long an outage is before them or between them")
    func refusedAfterOutage() async throws {
        let world = await SecretWorld()
        let ended = { (attempts: Int) in
            try await world.until {
                guard let trial = world.report?.trial else { return false }
                return trial.attempts == attempts && trial.nextAttempt != nil
            }
        }
        world.provider.set("late", .hangsUp)
        await world.write("late")
        try await ended(1)
        for attempt in 2...40 {
            world.provider.set("late", attempt.isMultiple(of: 20) ? .refuses : .hangsUp)
            try await world.advance(.seconds(40))
            try await ended(attempt)
        }
        world.provider.set("late", .takes)
        try await world.advance(.seconds(40))
        try await world.until { world.active == "late" }
    }

    @Test("comes into force when an operator has it proven after it was left alone")
    func provenByHand() async throws {
        let world = await SecretWorld()
        try await refuseForTenMinutes(world)
        world.provider.set("bad", .takes)
        _ = try await world.keeper.verify(SecretWorld.secret, by: nil)
        try await world.until { world.active == "bad" }
    }

    @Test("is taken after all when a provider that did not know it yet learns of it")
    func learnt() async throws {
        let world = await SecretWorld()
        world.provider.set("new", .refuses)
        await world.write("new")
        try await world.until { world.report?.trial?.nextAttempt != nil }
        world.provider.set("new", .takes)
        try await world.advance(.seconds(40))
        try await world.until { world.active == "new" }
    }

    @Test("stays in force when its file is deleted, which is said once")
    func deleted() async throws {
        let world = await SecretWorld()
        await world.write(nil)
        await world.write(nil)
        #expect(world.active == "one")
        #expect(world.log.unreadable == 1)
        #expect(world.report?.problem?.code == .missing)
        await world.write("one")
        #expect(world.report?.problem == nil)
        #expect(world.states == [.active])
    }

    @Test("is in force when its file comes later")
    func late() async throws {
        let world = await SecretWorld(value: nil)
        #expect(world.active == nil)
        await world.write("one")
        #expect(world.active == "one")
        try await world.until { world.served != nil }
    }

    @Test("goes on from the journal with the proven value when the file is bad at the next start")
    func restart() async throws {
        let world = await SecretWorld()
        await world.write("two")
        try await world.until { world.active == "two" }
        let next = await SecretWorld(value: nil, journal: world.journal.copy())
        #expect(next.active == "two")
        let bad = await SecretWorld(value: "bad", refused: "bad", journal: world.journal.copy())
        try await bad.until { bad.report?.trial?.nextAttempt != nil }
        #expect(bad.active == "two")
    }

    @Test("is promoted also while the store fails, and kept when that works again")
    func storeFails() async throws {
        let world = await SecretWorld()
        world.journal.fail(.full)
        await world.write("two")
        try await world.until { world.active == "two" }
        #expect(world.report?.isKept == false)
        world.journal.fail(nil)
        await world.keeper.storeRecovered()
        #expect(world.report?.isKept == true)
        #expect(await SecretWorld(value: nil, journal: world.journal.copy()).active == "two")
    }

    @Test("comes to the same end whatever is killed after which write")
    func crashes() async throws {
        for writes in 0...2 {
            let world = await SecretWorld()
            world.journal.end(afterWrites: writes)
            await world.write("two")
            try await world.until { world.active == "two" }
            let next = await SecretWorld(value: "two", journal: world.journal.copy())
            try await next.until { next.active == "two" }
            #expect(next.states.last == .active)
            #expect(next.states.dropLast().last == .retiring)
            // Where the file is gone by then, what was kept goes on.
            let gone = await SecretWorld(value: nil, journal: world.journal.copy())
            try await gone.until { gone.active == (writes == 0 ? "one" : "two") }
            #expect(gone.active != nil)
        }
    }

    @Test("that came while the journal could not be read goes on when that can")
    func lateJournal() async throws {
        let first = await SecretWorld()
        let journal = first.journal.copy()
        journal.fail(.locked)
        let world = await SecretWorld(value: "two", journal: journal)
        #expect(world.active == "two")
        journal.fail(nil)
        await world.keeper.storeRecovered()
        #expect(world.active == "two")
        #expect(world.states == [.retiring, .active])
        #expect(await SecretWorld(value: nil, journal: journal.copy()).active == "two")
    }
}

@Suite("A journal that is read late")
struct LateJournalTests {
    @Test("is read once, however often the store is said to work again, and takes no candidate away")
    func once() async throws {
        let first = await SecretWorld()
        let journal = first.journal.copy()
        journal.fail(.locked)
        let world = await SecretWorld(journal: journal)
        world.provider.set("two", .hangsUp)
        await world.write("two")
        try await world.until { world.report?.trial?.nextAttempt != nil }
        journal.fail(nil)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await world.keeper.storeRecovered() } }
        }
        #expect(world.states == [.active, .staged])
        #expect(try await journal.lives()[SecretWorld.secret]?.life.versions.map(\.state) == [.active, .staged])
    }

    private func problem(_ world: SecretWorld) -> SecretProblem? {
        do throws(SecretProblem) {
            _ = try world.keeper.inForce.key(SecretWorld.secret)
            return nil
        } catch {
            return error
        }
    }

    @Test("is what a managed secret without a value is told to be in, to callers as to operators, until it is read")
    func unread() async throws {
        let first = await SecretWorld(.managed)
        _ = try await first.keeper.stage(Secret("one".utf8), for: SecretWorld.secret, by: nil)
        let journal = first.journal.copy()
        journal.fail(.wrongKey)
        let world = await SecretWorld(.managed, journal: journal)
        for problem in [problem(world), world.report?.problem] {
            #expect(problem?.description.contains("which keeps its value, cannot be read: made to fail") == true)
            #expect(problem?.remedy?.contains("rotate") == false)
        }
        journal.fail(nil)
        await world.keeper.storeRecovered()
        #expect(world.active == "one")
        #expect(world.report?.problem == nil)
    }

    @Test("may have lost the value of a managed secret, which is told until there is another")
    func partLost() async throws {
        let journal = FakeJournal()
        journal.lose()
        let world = await SecretWorld(.managed, journal: journal)
        for problem in [problem(world), world.report?.problem] {
            #expect(problem?.description.contains("may have lost one: tokenbroker secret rotate key < value") == true)
        }
        _ = try await world.keeper.stage(Secret("one".utf8), for: SecretWorld.secret, by: nil)
        #expect(world.active == "one")
        #expect(world.report?.problem == nil)
    }
}

@Suite("A promoted secret")
struct PromotedSecretTests {
    private func promoted(drain: Duration? = nil, isCredential: Bool = false) async throws -> SecretWorld {
        let world = await SecretWorld(drain: drain, isCredential: isCredential)
        try await world.until { world.served != nil }
        await world.write("two")
        try await world.until { world.active == "two" }
        try await world.until { world.served?.hasPrefix("two") == true }
        return world
    }

    @Test("leaves the one before to retire when its last token has ended")
    func retires() async throws {
        let world = try await promoted()
        try await world.advance(.seconds(3590))
        #expect(world.states == [.retiring, .active])
        try await world.advance(.seconds(20))
        try await world.until { world.states == [.retired, .active] }
        #expect(world.log.steps.last == .retired)
    }

    @Test("leaves the one before also to a token that was being minted when it was replaced")
    func mintedMeanwhile() async throws {
        let world = await SecretWorld(.managed, value: nil)
        let key = SecretWorld.secret
        _ = try await world.keeper.stage(Secret("one".utf8), for: key, by: nil)
        _ = try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        _ = try await world.keeper.verify(key, by: nil)
        // So old is the token that proved it that it is not taken into service.
        try await world.advance(.seconds(2000))
        let first = world.served
        world.provider.set("two", .hangsUp)
        world.provider.door.close()
        let asked = world.provider.keys.count
        _ = world.broker.forceRefresh(TokenKey(SecretWorld.token)) { _ in }
        try await world.until { world.provider.keys.count > asked }
        _ = try await world.keeper.promote(key, isFinal: false, by: nil)
        world.provider.door.open()
        try await world.until { world.served != first }
        // The first token has ended by then, and the other one has not.
        try await world.advance(.seconds(1700))
        #expect(world.states == [.retiring, .active])
        #expect(world.served?.hasPrefix("one") == true)
        try await world.advance(.seconds(2000))
        #expect(world.states == [.retired, .active])
    }

    @Test("has the tokens of the one before replaced within seconds when that is retired by an operator")
    func retiredByHand() async throws {
        let world = await SecretWorld(.managed, value: nil)
        let key = SecretWorld.secret
        _ = try await world.keeper.stage(Secret("one".utf8), for: key, by: nil)
        _ = try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        _ = try await world.keeper.verify(key, by: nil)
        // So old is the token that proved it that it is not taken into service.
        try await world.advance(.seconds(3000))
        _ = try await world.keeper.promote(key, isFinal: false, by: nil)
        try await world.advance(.seconds(1))
        #expect(world.served?.hasPrefix("one") == true)
        _ = try await world.keeper.retire(key, by: nil)
        try await world.advance(.seconds(10))
        #expect(world.served?.hasPrefix("two") == true)
    }

    @Test("that is the credential itself keeps the one before for the drain", arguments: [nil, Duration.seconds(60)])
    func credential(drain: Duration?) async throws {
        let world = try await promoted(drain: drain, isCredential: true)
        let kept = drain ?? .seconds(86400)
        try await world.advance(kept - .seconds(10))
        #expect(world.states == [.retiring, .active])
        try await world.advance(.seconds(20))
        try await world.until { world.states == [.retired, .active] }
    }

    @Test("gives way to the one before when the provider refuses it and takes that one")
    func fallsBack() async throws {
        let world = try await promoted()
        world.provider.set("two", .refuses)
        _ = world.broker.forceRefresh(TokenKey(SecretWorld.token)) { _ in }
        try await world.until { world.active == "one" }
        #expect(world.states == [.active, .staged])
        try await world.until { world.served?.hasPrefix("one") == true }
        // The file still has the other one, which does not come back by itself.
        world.provider.set("two", .takes)
        await world.keeper.check()
        try await world.advance(.seconds(3000))
        #expect(world.active == "one")
    }

    @Test("does not come back by itself after a restart, whoever took it back", arguments: [true, false])
    func takenBackBeforeRestart(_ isByOperator: Bool) async throws {
        let world = try await promoted()
        if isByOperator {
            _ = try await world.keeper.rollBack(SecretWorld.secret, by: nil)
        } else {
            world.provider.set("two", .refuses)
            _ = world.broker.forceRefresh(TokenKey(SecretWorld.token)) { _ in }
            try await world.until { world.active == "one" }
        }
        let next = await SecretWorld(value: "two", journal: world.journal.copy())
        #expect(next.states == [.active, .staged])
        #expect(next.report?.trial == nil)
        try await next.advance(.seconds(3000))
        #expect(next.active == "one")
        // Unless somebody wants it.
        _ = try await next.keeper.verify(SecretWorld.secret, by: nil)
        try await next.until { next.active == "two" }
    }

    @Test("stays when the provider refuses both, and when nobody can say")
    func bothRefused() async throws {
        for opinion in [KeyedProvider.Opinion.refuses, .hangsUp] {
            let world = try await promoted()
            world.provider.set("two", .refuses)
            world.provider.set("one", opinion)
            let asked = world.provider.keys.count { $0 == "one" }
            _ = world.broker.forceRefresh(TokenKey(SecretWorld.token)) { _ in }
            try await world.until { world.provider.keys.count { $0 == "one" } > asked }
            while await !world.keeper.doubted.isEmpty { await Task.yield() }
            #expect(world.active == "two")
            #expect(world.states == [.retiring, .active])
        }
    }

    @Test("is not left for a failure that is not the key's")
    func outage() async throws {
        let world = try await promoted()
        let asked = world.provider.keys.count { $0 == "one" }
        world.provider.set("two", .hangsUp)
        _ = world.broker.forceRefresh(TokenKey(SecretWorld.token)) { _ in }
        try await world.until { world.broker.status(of: SecretWorld.token)?.failures == 1 }
        try await world.advance(.zero)
        #expect(world.active == "two")
        #expect(world.provider.keys.count { $0 == "one" } == asked)
    }
}

@Suite("A managed secret")
struct ManagedSecretTests {
    private let key = SecretWorld.secret

    /// A world whose managed secret has the value `one`.
    private func world(_ journal: FakeJournal = FakeJournal()) async throws -> SecretWorld {
        let world = await SecretWorld(.managed, journal: journal)
        if world.active == nil { _ = try await world.keeper.stage(Secret("one".utf8), for: key, by: nil) }
        return world
    }

    @Test("waits for an operator at each step")
    func steps() async throws {
        let world = try await world()
        #expect(world.active == "one")
        let number = try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        try await world.advance(.seconds(60))
        #expect(world.states == [.active, .staged])
        #expect(try await world.keeper.verify(key, by: nil) == number)
        try await world.advance(.seconds(60))
        #expect(world.states == [.active, .verified])
        _ = try await world.keeper.promote(key, isFinal: false, by: nil)
        #expect(world.active == "two")
        _ = try await world.keeper.rollBack(key, by: nil)
        #expect(world.active == "one")
    }

    @Test("that is refused once is refused, until another one is staged")
    func refused() async throws {
        let world = try await world()
        world.provider.set("bad", .refuses)
        _ = try await world.keeper.stage(Secret("bad".utf8), for: key, by: nil)
        await #expect(throws: SecretStepRefusal.self) { try await world.keeper.verify(key, by: nil) }
        world.provider.set("bad", .takes)
        await #expect(throws: SecretStepRefusal.self) { try await world.keeper.verify(key, by: nil) }
        await #expect(throws: SecretStepRefusal.self) { try await world.keeper.promote(key, isFinal: false, by: nil) }
        _ = try await world.keeper.stage(Secret("bad".utf8), for: key, by: nil)
        _ = try await world.keeper.verify(key, by: nil)
    }

    @Test("is neither failed nor promoted by an outage")
    func outage() async throws {
        let world = try await world()
        world.provider.set("two", .hangsUp)
        _ = try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        await #expect(throws: SecretStepRefusal.self) { try await world.keeper.verify(key, by: nil) }
        #expect(world.report?.candidate?.refusal == nil)
        world.provider.set("two", .takes)
        _ = try await world.keeper.verify(key, by: nil)
    }

    @Test("that leaked is gone at once, and its tokens within seconds")
    func final() async throws {
        let world = try await world()
        try await world.until { world.served != nil }
        _ = try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        _ = try await world.keeper.verify(key, by: nil)
        _ = try await world.keeper.promote(key, isFinal: true, by: nil)
        #expect(world.states == [.retired, .active])
        try await world.advance(.seconds(10))
        try await world.until { world.served?.hasPrefix("two") == true }
        await #expect(throws: SecretStepRefusal.nothingRetiring) { try await world.keeper.rollBack(key, by: nil) }
    }

    @Test("takes no step that the store does not keep")
    func unkept() async throws {
        let world = try await world()
        world.journal.fail(.full)
        await #expect(throws: SecretStepRefusal.self) {
            try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        }
        #expect(world.states == [.active])
    }

    @Test("that a provider refuses after all stays while the store does not keep the way back, which is said")
    func unkeptFallBack() async throws {
        let world = try await world()
        _ = try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        _ = try await world.keeper.verify(key, by: nil)
        _ = try await world.keeper.promote(key, isFinal: false, by: nil)
        world.journal.fail(.full)
        world.provider.set("two", .refuses)
        _ = world.broker.forceRefresh(TokenKey(SecretWorld.token)) { _ in }
        try await world.until {
            if case .notFallenBack? = world.log.steps.last { true } else { false }
        }
        #expect(world.active == "two")
    }

    @Test("is the only kind that can be staged")
    func notManaged() async throws {
        let world = await SecretWorld()
        await #expect(throws: SecretStepRefusal.self) {
            try await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
        }
        #expect(world.active == "one")
    }

    @Test("comes to the same end whatever is killed after which write")
    func crashes() async throws {
        for writes in 0...4 {
            let world = try await world()
            world.journal.end(afterWrites: writes)
            _ = try? await world.keeper.stage(Secret("two".utf8), for: key, by: nil)
            _ = try? await world.keeper.verify(key, by: nil)
            _ = try? await world.keeper.promote(key, isFinal: false, by: nil)
            _ = try? await world.keeper.retire(key, by: nil)
            let expected: [SecretVersion.State] =
                switch writes {
                case 0: [.active]
                case 1: [.active, .staged]
                case 2: [.active, .verified]
                case 3: [.retiring, .active]
                default: [.retired, .active]
                }
            let next = try await self.world(world.journal.copy())
            #expect(next.states == expected)
            #expect(next.active == (writes < 3 ? "one" : "two"))
            // What is left to do can be done.
            if writes < 1 { _ = try await next.keeper.stage(Secret("two".utf8), for: key, by: nil) }
            if writes < 2 { _ = try await next.keeper.verify(key, by: nil) }
            if writes < 3 { _ = try await next.keeper.promote(key, isFinal: false, by: nil) }
            if writes < 4 { _ = try await next.keeper.retire(key, by: nil) }
            #expect(next.states == [.retired, .active])
            #expect(next.active == "two")
        }
    }
}
