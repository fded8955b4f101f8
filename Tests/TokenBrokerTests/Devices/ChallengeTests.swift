import Synchronization
import Testing

@testable import TokenBroker

@Suite("Challenges of devices")
struct ChallengeTests {
    private let harness = GateHarness()

    private func device() async throws -> DeviceID { try await harness.register().get() }

    @Test("are good once, and spent by a failure too")
    func once() async throws {
        let device = try await device()
        let challenge = harness.gate.challenge(for: "app")
        let wrong = harness.proof(device, 1, challenge: challenge, over: [0])
        #expect(await harness.check(wrong).reason == "bad_signature")
        #expect(await harness.check(harness.proof(device, 1, challenge: challenge)).reason == "challenge_spent")
        #expect(try await harness.check(harness.proof(device, 1)).get() == device)
    }

    @Test("are spent by a registration that fails")
    func spentByRegistration() async {
        let challenge = harness.gate.challenge(for: "app")
        #expect(await harness.register(attestation: [0], challenge: challenge).reason == "untrusted_chain")
        #expect(await harness.register(challenge: challenge).reason == "challenge_spent")
    }

    @Test("are all different")
    func different() {
        #expect(Set((0..<100).map { _ in harness.gate.challenge(for: "app") }).count == 100)
    }

    @Test("are good for five minutes, whatever the calendar says")
    func expiry() async throws {
        let device = try await device()
        let (early, late) = (harness.gate.challenge(for: "app"), harness.gate.challenge(for: "app"))
        harness.clock.setWall(by: .seconds(86400))
        harness.clock.advance(by: .milliseconds(299_999))
        #expect(try await harness.check(harness.proof(device, 1, challenge: early)).get() == device)
        harness.clock.advance(by: .milliseconds(1))
        #expect(await harness.check(harness.proof(device, 2, challenge: late)).reason == "challenge_expired")
    }

    @Test("are known by the route that gave them out alone")
    func otherRoute() async throws {
        let proof = harness.proof(try await device(), 1)
        #expect(await harness.check(proof, on: "other").reason == "challenge_unknown")
        #expect(await harness.check(proof).reason == nil)
    }

    @Test("are unknown after a restart")
    func restart() async throws {
        let device = try await device()
        await harness.gate.finishSaving()
        let next = GateHarness(store: harness.store)
        await next.gate.restore()
        let old = harness.gate.challenge(for: "app")
        #expect(await next.check(next.proof(device, 1, challenge: old)).reason == "challenge_unknown")
        #expect(try await next.check(next.proof(device, 1)).get() == device)
    }

    @Test("are unknown with any bit changed, cut or added")
    func forged() async throws {
        let device = try await device()
        let challenge = harness.gate.challenge(for: "app")
        for index in challenge.indices {
            for bit in 0..<8 {
                var forged = challenge
                forged[index] ^= 1 << UInt8(bit)
                #expect(await harness.check(harness.proof(device, 1, challenge: forged)).reason == "challenge_unknown")
            }
        }
        for forged in [[], Array(challenge.dropLast()), challenge + [0], Array(challenge.dropFirst())] {
            #expect(await harness.check(harness.proof(device, 1, challenge: forged)).reason == "challenge_unknown")
        }
    }

    @Test("take no room until they are used, and none when their time is over")
    func memory() async {
        for _ in 0..<1000 { _ = harness.gate.challenge(for: "app") }
        #expect(harness.gate.state.withLock { $0.spent.count } == 0)
        for _ in 0..<50 { _ = await harness.check(harness.proof(DeviceID("dev_none"), 1)) }
        #expect(harness.gate.state.withLock { $0.spent.count } == 50)
        for _ in 0..<2 {
            harness.clock.advance(by: .seconds(301))
            _ = await harness.check(harness.proof(DeviceID("dev_none"), 1))
        }
        #expect(harness.gate.state.withLock { $0.spent.count } <= 2)
    }

    @Test("stay spent as long as they would be good", arguments: [1, 299, 300, 301, 450, 599])
    func remembered(_ wait: Int) {
        let start = BootInstant(nanoseconds: 0)
        var spent = SpentChallenges(lifetime: .seconds(300), at: start)
        let moment = start.advanced(by: .seconds(wait))
        let number = ChallengeIssuer.Number(high: 1, low: 2)
        let isFresh = spent.spend(number, at: moment)
        #expect(isFresh)
        for second in stride(from: 0, to: 300, by: 10) {
            let later = moment.advanced(by: .seconds(second))
            let isFreshAgain = spent.spend(number, at: later)
            #expect(!isFreshAgain)
            _ = spent.spend(ChallengeIssuer.Number(high: 2, low: UInt64(second)), at: later)
        }
    }
}
