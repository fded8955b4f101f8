import Synchronization
import Testing

@testable import TokenBroker

/// A managed secret whose version 1 an operator gave, at a provider with a key API.
private func makeWorld(
    _ keys: FakeKeyIssuer,
    journal: FakeJournal = FakeJournal(),
    isBegun: Bool = true
) async throws -> SecretWorld {
    let world = await SecretWorld(.managed, value: "management", journal: journal, keys: keys)
    if isBegun {
        _ = try await world.keeper.stage(Secret("one".utf8), for: SecretWorld.secret, by: nil)
        try await world.until { world.served != nil }
    }
    return world
}

extension SecretWorld {
    fileprivate func create() async throws(SecretStepRefusal) {
        _ = try await keeper.create(Self.secret, by: nil)
    }

    /// Makes a key and puts it into force.
    fileprivate func rotate() async throws {
        try await create()
        _ = try await keeper.verify(Self.secret, by: nil)
        _ = try await keeper.promote(Self.secret, isFinal: false, by: nil)
    }

    fileprivate func refusal(_ body: (SecretWorld) async throws -> Void) async -> SecretStepRefusal? {
        do {
            try await body(self)
            return nil
        } catch {
            return error as? SecretStepRefusal
        }
    }
}

@Suite("A key that the provider makes")
struct KeyCreationTests {
    private let keys = FakeKeyIssuer()

    @Test("is staged with what finds it at the provider, and its value is told to nobody")
    func staged() async throws {
        let world = try await makeWorld(keys)
        try await world.create()
        #expect(world.states == [.active, .staged])
        let issued = try #require(world.report?.candidate?.issued)
        #expect(issued.id == "id-1")
        #expect(issued.label == keys.keys.first?.label)
        #expect(issued.label.wholeMatch(of: #/tokenbroker-key-2-[0-9a-f]{8}/#) != nil)
        #expect(world.active == "one")
        #expect(world.log.steps.suffix(2) == [.requested(issued.asAsked), .created(issued)])
        #expect(!"\(world.log.steps)".contains("made-id-1"))
        #expect(world.report?.versions.allSatisfy { $0.value == nil } == true)
    }

    @Test("is in force at once when it is the first")
    func first() async throws {
        let world = try await makeWorld(keys, isBegun: false)
        try await world.create()
        #expect(world.active == "made-id-1")
        try await world.until { world.served?.hasPrefix("made-id-1") == true }
    }

    @Test("is revoked there when its version has retired, and not before")
    func revoked() async throws {
        let world = try await makeWorld(keys)
        try await world.rotate()
        try await world.rotate()
        #expect(world.active == "made-id-2")
        try await world.advance(.seconds(3000))
        #expect(keys.revocations.isEmpty)
        try await world.advance(.seconds(700))
        try await world.until { keys.revocations == ["id-1"] }
        try await world.advance(.seconds(1))
        #expect(world.states == [.retired, .retired, .active])
        #expect(world.report?.versions[1].issued?.revokedAt != nil)
        // Whoever gave version 1 has to revoke it: nothing else is asked for.
        try await world.advance(.seconds(90000))
        #expect(keys.revocations == ["id-1"])
    }

    @Test("can be gone back from until then, and is revoked when it is retired after that")
    func rollback() async throws {
        let world = try await makeWorld(keys)
        try await world.rotate()
        _ = try await world.keeper.rollBack(SecretWorld.secret, by: nil)
        #expect(world.active == "one")
        try await world.advance(.seconds(10))
        #expect(keys.revocations.isEmpty)
        _ = try await world.keeper.retire(SecretWorld.secret, by: nil)
        try await world.advance(.seconds(1))
        try await world.until { keys.revocations == ["id-1"] }
        #expect(world.active == "one")
    }

    @Test("that leaked is revoked with the promotion of the next one")
    func final() async throws {
        let world = try await makeWorld(keys)
        try await world.rotate()
        try await world.create()
        _ = try await world.keeper.verify(SecretWorld.secret, by: nil)
        _ = try await world.keeper.promote(SecretWorld.secret, isFinal: true, by: nil)
        try await world.advance(.seconds(1))
        try await world.until { keys.revocations == ["id-1"] }
    }

    @Test("that the provider refuses afterwards is revoked, and the one before stays at work")
    func refused() async throws {
        let world = try await makeWorld(keys)
        world.provider.set("made-id-1", .refuses)
        try await world.create()
        let refusal = await world.refusal { _ = try await $0.keeper.verify(SecretWorld.secret, by: nil) }
        #expect(refusal == .refused(MintFailure(.secretRejected, detail: "the provider refused the key")))
        #expect(world.active == "one")
        try await world.advance(.seconds(1))
        try await world.until { keys.revocations == ["id-1"] }
        #expect(world.states == [.active, .retired])
    }

    @Test("is let go of for one that is given by hand")
    func replaced() async throws {
        let world = try await makeWorld(keys)
        try await world.create()
        _ = try await world.keeper.stage(Secret("two".utf8), for: SecretWorld.secret, by: nil)
        try await world.advance(.seconds(1))
        try await world.until { keys.revocations == ["id-1"] }
        #expect(world.states == [.active, .retired, .staged])
    }

    @Test("that the provider does not make changes nothing")
    func planCap() async throws {
        let world = try await makeWorld(keys)
        keys.set(.refuses)
        #expect(await world.refusal { try await $0.create() } == .notIssued(FakeKeyIssuer.refusal))
        #expect(world.states == [.active])
        try await world.advance(.seconds(300))
        #expect(keys.revocations.isEmpty)
        // Its number is not used again.
        keys.set(.makes)
        try await world.create()
        #expect(world.report?.candidate?.number == SecretVersionNumber(3))
    }

    @Test("is made for a managed secret alone, where a provider has a key API")
    func notForThis() async throws {
        let file = await SecretWorld(keys: keys)
        let definition = try #require(file.report?.definition)
        #expect(await file.refusal { try await $0.create() } == .notManaged(definition))
        let alone = await SecretWorld(.managed, value: nil)
        #expect(await alone.refusal { try await $0.create() } == .noIssuer(SecretWorld.secret))
        #expect(keys.keys.isEmpty)
    }

    @Test("is planned without anything being done")
    func plan() async throws {
        let world = try await makeWorld(keys)
        let writes = world.journal.writes
        let plan = try await world.keeper.creationPlan(for: SecretWorld.secret)
        #expect(plan.account.name == "account")
        #expect(plan.active?.number == SecretVersionNumber(1))
        #expect(plan.tokens == [SecretWorld.token])
        #expect(keys.keys.isEmpty)
        #expect(keys.looks == 1)
        #expect(world.journal.writes == writes)
        keys.set(isTrusted: false)
        let refusal = await world.refusal { _ = try await $0.keeper.creationPlan(for: SecretWorld.secret) }
        #expect(refusal == .notIssued(MintFailure(.secretRejected, detail: "not this key")))
    }

    @Test("takes a key of the key API that works: another one is looked through with it before it is in force")
    func management() async throws {
        let world = try await makeWorld(keys)
        keys.set(isTrusted: false)
        await world.write("another")
        try await world.until { world.keeper.reports.last?.candidate?.refusal != nil }
        #expect(try world.keeper.inForce.key(SecretWorld.management).value.revealed == "management")
    }
}

@Suite("A key that was lost on its way")
struct LostKeyTests {
    private let keys = FakeKeyIssuer()

    @Test("is found by its name and revoked, when the answer does not come")
    func lost() async throws {
        let world = try await makeWorld(keys)
        keys.set(.loses(isMade: true))
        let refusal = await world.refusal { try await $0.create() }
        guard case .lost(let key, _) = refusal else { throw refusal ?? .unknown }
        #expect(key.label == keys.keys.first?.label)
        #expect(world.active == "one")
        try await world.advance(.seconds(1))
        try await world.until { keys.revocations == ["id-1"] }
        #expect(world.report?.candidate == nil)
    }

    @Test("is looked for until the request can come to nothing any more, and no longer")
    func neverMade() async throws {
        let world = try await makeWorld(keys)
        keys.set(.loses(isMade: false))
        _ = await world.refusal { try await $0.create() }
        try await world.advance(.seconds(1))
        #expect(world.report?.versions.last?.isOwed == true)
        try await world.advance(.seconds(130))
        try await world.until { world.report?.versions.last?.isOwed == false }
        #expect(keys.revocations.isEmpty)
        let looks = keys.looks
        try await world.advance(.seconds(90000))
        #expect(keys.looks == looks)
    }

    @Test("has the next one wait until it is known what became of it")
    func notBlindly() async throws {
        let world = try await makeWorld(keys)
        keys.set(.loses(isMade: true))
        _ = await world.refusal { try await $0.create() }
        keys.set(.makes)
        keys.set(isReachable: false)
        let refusal = await world.refusal { try await $0.create() }
        guard case .stillLost = refusal else { throw refusal ?? .unknown }
        #expect(keys.keys.count == 1)
        keys.set(isReachable: true)
        try await world.create()
        #expect(keys.keys.map(\.isRevoked) == [true, false])
        #expect(world.report?.candidate?.issued?.id == "id-2")
    }

    @Test("with the broker, after it was made, is found by the next run and revoked")
    func killedAfter() async throws {
        let world = try await makeWorld(keys)
        let left = Mutex<FakeJournal?>(nil)
        keys.onIssue { [journal = world.journal] in left.withLock { $0 = journal.copy() } }
        try await world.create()
        let journal = try #require(left.withLock { $0 })
        let next = try await makeWorld(keys, journal: journal, isBegun: false)
        #expect(next.active == "one")
        try await next.advance(.seconds(1))
        try await next.until { keys.revocations == ["id-1"] }
        try await next.advance(.seconds(1))
        #expect(next.report?.versions.map(\.state) == [.active, .retired])
        #expect(next.log.steps.contains { if case .lost = $0 { true } else { false } })
        #expect(next.log.steps.contains { if case .revoked = $0 { true } else { false } })
    }

    @Test("with the broker, before it was asked for, comes to nothing")
    func killedBefore() async throws {
        let world = try await makeWorld(keys)
        keys.set(.loses(isMade: false))
        let left = Mutex<FakeJournal?>(nil)
        keys.onIssue { [journal = world.journal] in left.withLock { $0 = journal.copy() } }
        _ = await world.refusal { try await $0.create() }
        let journal = try #require(left.withLock { $0 })
        let next = try await makeWorld(keys, journal: journal, isBegun: false)
        try await next.advance(.seconds(130))
        try await next.advance(.seconds(130))
        try await next.until { next.states == [.active, .retired] && next.report?.versions.last?.isOwed == false }
        #expect(keys.revocations.isEmpty)
    }

    @Test("is not asked for where that cannot be written down")
    func unwritten() async throws {
        let world = try await makeWorld(keys)
        world.journal.fail(.full)
        guard case .notKept = await world.refusal({ try await $0.create() }) else { throw SecretStepRefusal.unknown }
        #expect(keys.keys.isEmpty)
    }

    @Test("because the store failed meanwhile is revoked at once")
    func storeFails() async throws {
        let world = try await makeWorld(keys)
        keys.onIssue { [journal = world.journal] in journal.fail(.full) }
        guard case .notKept = await world.refusal({ try await $0.create() }) else { throw SecretStepRefusal.unknown }
        #expect(keys.revocations == ["id-1"])
        #expect(world.keeper.nextWake != nil)
        world.journal.fail(nil)
        try await world.advance(.seconds(130))
        try await world.advance(.seconds(130))
        #expect(world.report?.versions.map(\.state) == [.active, .retired])
        #expect(world.report?.versions.last?.isOwed == false)
    }

    @Test(
        "and cannot be revoked is tried again for as long as it takes, whatever pause the provider wants, and told of",
        arguments: [.transient, .rateLimited] as [FailureClass]
    )
    func unrevoked(_ outage: FailureClass) async throws {
        let world = try await makeWorld(keys)
        try await world.rotate()
        try await world.rotate()
        keys.set(outage: outage)
        try await world.advance(.seconds(3700))
        try await world.until { world.report?.unrevoked != nil }
        #expect(world.report?.needsAttention == true)
        for _ in 0..<5 { try await world.advance(.seconds(1000)) }
        #expect((world.report?.revocations.values.first?.attempts ?? 0) > 3)
        // It is told once, not at each attempt.
        #expect(world.log.steps.count { if case .notRevoked = $0 { true } else { false } } == 1)
        // The next run goes on with it.
        let next = try await makeWorld(keys, journal: world.journal.copy(), isBegun: false)
        keys.set(isReachable: true)
        try await next.advance(.seconds(1000))
        try await next.until { keys.revocations == ["id-1"] }
        try await next.advance(.seconds(1))
        #expect(next.report?.needsAttention == false)
    }
}

extension IssuedKey {
    /// As it was before the provider answered.
    fileprivate var asAsked: IssuedKey {
        IssuedKey(account: account, label: label, requestedAt: requestedAt)
    }
}
