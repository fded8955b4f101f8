import Testing
import TokenBroker

@testable import Providers

@Suite("Palbase: a broker that is killed while a seed is on trial")
struct PalbaseTrialCrashTests {
    private static let candidate = "seed-candidate-51c0"

    /// What a broker is killed in.
    enum Work: CaseIterable, Sendable {
        case trial
        /// Of the session in force, after the trial.
        case mint
        /// The first one with the seed that was on trial.
        case mintAfterwards

        func carryOut(_ broker: PalbaseWorld.Broker) async throws {
            switch self {
            case .trial: _ = try await broker.verify(seed: candidate)
            case .mint: _ = try await broker.mint()
            case .mintAfterwards: _ = try await broker.mint(seed: candidate)
            }
        }
    }

    /// A world with a session that works, at the point where the work is next.
    private func world(before work: Work) async throws -> PalbaseWorld {
        let world = PalbaseWorld()
        _ = try await world.broker().mint()
        world.provider.signIn(Self.candidate, endsOthers: false)
        if work != .trial { _ = try await world.broker().verify(seed: Self.candidate) }
        world.store.restart()
        world.clock.advance(by: .seconds(1200))
        return world
    }

    private func points(of work: Work) async throws -> Range<Int> {
        let fate = Fate()
        try await work.carryOut(world(before: work).broker(fate: fate))
        #expect(fate.steps >= 10, "lease, record, intent, request, successor, lease: each before and after")
        return 0..<fate.steps
    }

    /// A world in which a broker was killed at a point, and another starts after a time.
    private func killed(at point: Int, in work: Work, then pause: Duration) async throws -> PalbaseWorld {
        let world = try await world(before: work)
        let fate = Fate(killedAt: point)
        try? await work.carryOut(world.broker(fate: fate))
        #expect(fate.isDead)
        world.store.restart()
        world.clock.advance(by: pause)
        return world
    }

    @Test(
        "goes on with both sessions after a restart within the grace, wherever it was killed",
        arguments: Work.allCases
    )
    func withinTheGrace(_ work: Work) async throws {
        for point in try await points(of: work) {
            let world = try await killed(at: point, in: work, then: .seconds(24))
            #expect(world.provider.takes(try await world.broker().mint().text), "killed at \(point)")
            let proof = try #require(try await world.broker().verify(seed: Self.candidate), "killed at \(point)")
            #expect(world.provider.takes(proof.text), "killed at \(point)")
            #expect(world.provider.takes(try await world.broker().mint().text), "killed at \(point)")
            for _ in 0..<2 {
                let mint = try await world.broker().mint(seed: Self.candidate)
                #expect(world.provider.takes(mint.text), "killed at \(point)")
            }
            #expect(!world.provider.isRevoked, "killed at \(point)")
            #expect(world.provider.keys.values.allSatisfy { $0.count == 1 }, "one key a spend: \(point)")
        }
    }

    @Test("keeps the session in force after a restart past the grace, wherever it was killed in the trial")
    func pastTheGrace() async throws {
        for point in try await points(of: .trial) {
            let world = try await killed(at: point, in: .trial, then: .seconds(31))
            let isSpent = world.provider.presented.contains(Self.candidate)
            var isRefused = false
            do {
                _ = try await world.broker().verify(seed: Self.candidate)
            } catch {
                #expect(error.failureClass == .sessionLost, "killed at \(point)")
                isRefused = true
            }
            #expect(isSpent || !isRefused, "killed at \(point)")
            #expect(!world.provider.isHarmed, "killed at \(point)")
            #expect(world.provider.takes(try await world.broker().mint().text), "killed at \(point)")
            #expect(world.provider.keys[PalbaseWorld.seed]?.count == 1)
        }
    }

    @Test("never presents a seed again when the store is lost with it, wherever it was killed in the trial")
    func lostStore() async throws {
        for point in try await points(of: .trial) {
            let world = try await killed(at: point, in: .trial, then: .seconds(3600))
            world.store.loseAll()
            let isClaimed = world.ledger.fingerprints.count == 2
            let presented = world.provider.presented.count
            #expect(isClaimed || presented == 1, "killed at \(point)")
            do {
                _ = try await world.broker().verify(seed: Self.candidate)
                #expect(!isClaimed, "killed at \(point)")
            } catch {
                #expect(isClaimed && error.failureClass == .sessionLost, "killed at \(point)")
                #expect(world.provider.presented.count == presented, "killed at \(point)")
            }
        }
    }
}
