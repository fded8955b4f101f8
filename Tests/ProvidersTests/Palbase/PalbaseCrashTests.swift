import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("Palbase: a broker that is killed")
struct PalbaseCrashTests {
    /// How many chances to die there are in the mint that `prepare` leads up to.
    private static func steps(_ prepare: (PalbaseWorld) async throws -> Void) async throws -> Int {
        let world = PalbaseWorld()
        try await prepare(world)
        let fate = Fate()
        _ = try await world.broker(fate: fate).mint()
        return fate.steps
    }

    private static let nothing: @Sendable (PalbaseWorld) async throws -> Void = { _ in }
    /// Leaves a session whose first access token has 30 minutes less 20.
    private static let firstMint: @Sendable (PalbaseWorld) async throws -> Void = { world in
        _ = try await world.broker().mint()
        world.store.restart()
        world.clock.advance(by: .seconds(1200))
    }

    /// Every point to die at, in the first mint and in a later one.
    private static func points() async throws -> [(Int, @Sendable (PalbaseWorld) async throws -> Void)] {
        var points: [(Int, @Sendable (PalbaseWorld) async throws -> Void)] = []
        for prepare in [nothing, firstMint] {
            let count = try await steps(prepare)
            #expect(count >= 10, "lease, record, intent, request, successor, lease: each before and after")
            points += (0..<count).map { ($0, prepare) }
        }
        return points
    }

    /// A world in which a broker was killed at a point, and another starts after a time.
    private func killed(
        at point: Int,
        _ prepare: (PalbaseWorld) async throws -> Void,
        then pause: Duration
    ) async throws -> PalbaseWorld {
        let world = PalbaseWorld()
        try await prepare(world)
        let fate = Fate(killedAt: point)
        _ = try? await world.broker(fate: fate).mint()
        #expect(fate.isDead)
        world.store.restart()
        world.clock.advance(by: pause)
        return world
    }

    @Test("goes on with the session after a restart within the grace, wherever it was killed")
    func withinTheGrace() async throws {
        for (point, prepare) in try await Self.points() {
            for pause in [Duration.zero, .seconds(24)] {
                let world = try await killed(at: point, prepare, then: pause)
                let mint = try await world.broker().mint()
                #expect(world.provider.takes(mint.text), "killed at \(point)")
                #expect(!world.provider.isRevoked)
                #expect(world.provider.keys.values.allSatisfy { $0.count == 1 }, "one key a spend: \(point)")
                world.clock.advance(by: .seconds(1800))
                #expect(world.provider.takes(try await world.broker().mint().text), "the next link works: \(point)")
            }
        }
    }

    @Test("puts no live access token at risk after a restart past the grace, wherever it was killed")
    func pastTheGrace() async throws {
        for (point, prepare) in try await Self.points() {
            let world = try await killed(at: point, prepare, then: .seconds(31))
            let broker = world.broker()
            for _ in 0..<50 {
                _ = try? await broker.mint()
                #expect(!world.provider.isHarmed, "killed at \(point)")
                world.clock.advance(by: .seconds(60))
            }
            // Lost only where the provider had spent the token, and the answer never came.
            let failure = await broker.failure()
            #expect((failure == nil) != world.provider.isRevoked, "killed at \(point): \(String(describing: failure))")
        }
    }

    @Test("counts the grace as over after the host has started again")
    func reboot() async throws {
        for (point, prepare) in try await Self.points() {
            let world = try await killed(at: point, prepare, then: .seconds(2))
            world.clock.reboot()
            _ = try? await world.broker(bootID: BootID("boot-2")).mint()
            #expect(!world.provider.isHarmed, "killed at \(point)")
        }
    }

    @Test("never presents a seed again when the store is lost with it, wherever it was killed")
    func lostStore() async throws {
        let count = try await Self.steps(Self.nothing)
        for point in 0..<count {
            let world = try await killed(at: point, Self.nothing, then: .seconds(3600))
            world.store.loseAll()
            let (presented, isClaimed) = (world.provider.presented.count, !world.ledger.fingerprints.isEmpty)
            #expect(isClaimed || presented == 0, "killed at \(point)")
            let failure = await world.broker().failure()
            #expect(failure?.failureClass == (isClaimed ? .sessionLost : nil), "killed at \(point)")
            #expect(world.provider.presented.count == (isClaimed ? presented : 1), "killed at \(point)")
        }
    }

    @Test("serves no access token before its successor is kept")
    func order() async throws {
        let count = try await Self.steps(Self.nothing)
        for point in 0..<count {
            let world = PalbaseWorld()
            let served = try? await world.broker(fate: Fate(killedAt: point)).mint()
            guard served != nil else { continue }
            #expect(world.store.payloads.contains { $0.contains("rt-1") }, "killed at \(point)")
        }
    }

    @Test("keeps one record, durably, with no access token in it and no seed beside it")
    func keepsEverythingDurably() async throws {
        let world = PalbaseWorld()
        _ = try await world.broker().mint()
        #expect(world.store.areWritesDurable)
        #expect(world.store.payloads.count == 1)
        #expect(!world.store.payloads[0].contains("at-1"))
        #expect(!world.ledger.fingerprints.contains { $0.contains(PalbaseWorld.seed) })
    }
}
