import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("Palbase: a secret on trial")
struct PalbaseTrialTests {
    private static let candidate = "seed-candidate-51c0"
    private static let otherKey = "pb_demo_cfedcba9876543210"

    private let world = PalbaseWorld()

    /// A session that works, and a seed for another one.
    private func begin() async throws {
        _ = try await world.broker().mint()
        world.provider.signIn(Self.candidate, endsOthers: false)
    }

    private func failureOfTrial(
        _ broker: PalbaseWorld.Broker,
        seed: String = candidate,
        key: String = PalbaseWorld.publishableKey
    ) async -> MintFailure? {
        do {
            _ = try await broker.verify(seed: seed, key: key)
            return nil
        } catch {
            return error
        }
    }

    // MARK: A seed

    @Test("is spent once, and its session goes on from the successor when it is in force")
    func goodSeed() async throws {
        try await begin()
        let proof = try #require(try await world.broker().verify(seed: Self.candidate))
        #expect(world.provider.takes(proof.text))
        #expect(world.provider.takes(try await world.broker().mint(seed: Self.candidate).text))
        #expect(world.provider.takes(try await world.broker().mint(seed: Self.candidate).text))
        #expect(world.provider.presented == [PalbaseWorld.seed, Self.candidate, "rt-2", "rt-3"])
        #expect(world.provider.keys.values.allSatisfy { $0.count == 1 })
    }

    @Test("that is good leaves the present session at work until it is in force")
    func presentGoesOn() async throws {
        try await begin()
        _ = try await world.broker().verify(seed: Self.candidate)
        #expect(world.provider.takes(try await world.broker().mint().text))
        #expect(world.provider.presented == [PalbaseWorld.seed, Self.candidate, "rt-1"])
        #expect(try await world.broker().mint(seed: Self.candidate).text == TokenText("at-4"))
        #expect(world.provider.presented.last == "rt-2")
    }

    @Test("that is tried twice is not presented twice")
    func triedTwice() async throws {
        try await begin()
        _ = try await world.broker().verify(seed: Self.candidate)
        _ = try await world.broker().verify(seed: Self.candidate)
        #expect(world.provider.presented == [PalbaseWorld.seed, Self.candidate, "rt-2"])
    }

    @Test("takes the place of a session that has ended, also before it is in force")
    func afterLoss() async throws {
        try await begin()
        world.provider.revoke(PalbaseWorld.seed)
        #expect(await world.broker().failure()?.failureClass == .sessionLost)
        _ = try await world.broker().verify(seed: Self.candidate)
        for seed in [PalbaseWorld.seed, nil, Self.candidate] {
            #expect(world.provider.takes(try await world.broker().mint(seed: seed).text))
        }
    }

    @Test("gives way to the one before, whose session goes on where it was left, and does so only when told")
    func back() async throws {
        try await begin()
        _ = try await world.broker().verify(seed: Self.candidate)
        _ = try await world.broker().mint(seed: Self.candidate)
        world.provider.revoke(Self.candidate)
        #expect(await world.broker().failure(seed: Self.candidate)?.failureClass == .sessionLost)
        let proof = try #require(try await world.broker().verify(seed: PalbaseWorld.seed))
        #expect(world.provider.takes(proof.text))
        #expect(await world.broker().failure(seed: Self.candidate)?.failureClass == .sessionLost)
        #expect(world.provider.takes(try await world.broker().mint().text))
    }

    @Test(
        "that is refused or gets no answer leaves the present session exactly as it was",
        arguments: PalbaseFailureTests.cases + PalbaseFailureTests.unreadable
    )
    func failures(_ fault: PalbaseFailureTests.Case) async throws {
        try await begin()
        let before = try #require(SessionChains(payload: Secret(world.store.payloads[0].utf8))?.present)
        let sender = FakeSender(fault.status, fault.body, headers: fault.headers)
        let failure = try #require(await failureOfTrial(world.broker(sender: sender)))
        // What is said of the key is not said of the seed.
        let isAboutKey = fault.failureClass == .secretRejected
        #expect(failure.failureClass == (isAboutKey ? .requestRejected : fault.failureClass))
        #expect(failure.providerStatus == fault.status)
        #expect(!String(reflecting: failure).contains(Self.candidate))
        #expect(SessionChains(payload: Secret(world.store.payloads[0].utf8))?.present == before)
        #expect(world.provider.takes(try await world.broker().mint().text))
        #expect(world.provider.presented == [PalbaseWorld.seed, "rt-1"])
    }

    @Test("that was refused is refused again, without another request")
    func refusedTwice() async throws {
        _ = try await world.broker().mint()
        for _ in 0..<2 {
            #expect(await failureOfTrial(world.broker(), seed: "nobody's")?.failureClass == .sessionLost)
        }
        #expect(world.provider.presented == [PalbaseWorld.seed, "nobody's"])
        #expect(world.provider.takes(try await world.broker().mint().text))
    }

    @Test("is tried for the first time once the key beside it is good again")
    func refusedKey() async throws {
        try await begin()
        world.provider.refuse(key: Self.otherKey)
        let failure = await failureOfTrial(world.broker(), key: Self.otherKey)
        #expect(failure?.failureClass == .requestRejected)
        #expect(failure?.detail.contains("nothing is known of the session") == true)
        #expect(world.provider.presented == [PalbaseWorld.seed])
        #expect(try await world.broker().verify(seed: Self.candidate) != nil)
    }

    @Test("comes back for an answer that was lost, under the same key")
    func lostAnswer() async throws {
        try await begin()
        let lost = FakeSender(.failure(UpstreamFailure(.timedOut, "host: late", requestMayHaveBeenSent: true)))
        #expect(await failureOfTrial(world.broker(sender: lost))?.failureClass == .transient)
        world.clock.advance(by: .seconds(20))
        #expect(try await world.broker().verify(seed: Self.candidate) != nil)
        let key = try #require(lost.requests.first?.text("Idempotency-Key"))
        #expect(world.provider.keys[Self.candidate] == [key])
    }

    @Test("is refused where another account has it, or where it is none")
    func notOurs() async throws {
        _ = try await world.broker("other").mint(seed: PalbaseWorld.seed)
        #expect(await failureOfTrial(world.broker(), seed: PalbaseWorld.seed)?.failureClass == .sessionLost)
        for wrong in [PalbaseWorld.publishableKey, "two words", ""] {
            #expect(await failureOfTrial(world.broker(), seed: wrong)?.failureClass == .secretRejected, "\(wrong)")
        }
        #expect(world.provider.presented == [PalbaseWorld.seed])
    }

    @Test("is not sent while the store does not keep what is about to happen, or it cannot be told whether it is spent")
    func nothingKept() async throws {
        try await begin()
        world.store.allowWrites(0)
        #expect(await failureOfTrial(world.broker())?.failureClass == .secretUnavailable)
        world.store.allowWrites(nil)
        world.ledger.fail(.unavailable)
        #expect(await failureOfTrial(world.broker())?.failureClass == .secretUnavailable)
        world.ledger.fail(nil)
        #expect(world.provider.presented == [PalbaseWorld.seed])
        #expect(try await world.broker().verify(seed: Self.candidate) != nil)
    }

    @Test("whose successor is not kept gives its token to nobody else")
    func successorNotKept() async throws {
        try await begin()
        let broker = world.broker()
        world.store.allowWrites(1)
        #expect(await failureOfTrial(broker)?.failureClass == .secretUnavailable)
        world.store.allowWrites(nil)
        #expect(try await broker.mint().text == TokenText("at-3"))
        #expect(try await broker.mint(seed: Self.candidate).text == TokenText("at-4"))
        #expect(world.provider.presented == [PalbaseWorld.seed, Self.candidate, "rt-1", "rt-2"])
    }

    // MARK: A key beside the session

    @Test("a key is proven without the session's token")
    func key() async throws {
        _ = try await world.broker().mint()
        #expect(try await world.broker().verify(key: Self.otherKey) == nil)
        world.provider.refuse(key: Self.otherKey)
        let failure = await #expect(throws: MintFailure.self) { try await world.broker().verify(key: Self.otherKey) }
        #expect(failure?.failureClass == .secretRejected)
        #expect(world.provider.requests.last?.bodyText == "{}")
        #expect(world.provider.presented == [PalbaseWorld.seed])
        #expect(world.provider.takes(try await world.broker().mint().text))
    }

    @Test("a key is proven also while the session is lost")
    func keyOfLostSession() async throws {
        _ = try await world.broker().mint()
        world.provider.revoke(PalbaseWorld.seed)
        #expect(await world.broker().failure()?.failureClass == .sessionLost)
        #expect(try await world.broker().verify(key: Self.otherKey) == nil)
    }

    @Test(
        "a key of another kind is refused, and is sent nowhere",
        arguments: ["pb_demo_s0123456789abcdef", "sk_live_1"]
    )
    func wrongKey(key: String) async throws {
        let failure = await #expect(throws: MintFailure.self) { try await world.broker().verify(key: key) }
        #expect(failure?.failureClass == .secretRejected)
        #expect(failure?.detail.contains(key) == false)
        #expect(world.provider.requests.isEmpty)
    }
}
