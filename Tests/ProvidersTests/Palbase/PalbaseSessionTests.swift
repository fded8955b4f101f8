import JSON
import Synchronization
import Testing
import TokenBroker
import Upstream

@testable import Providers

@Suite("Palbase: a session")
struct PalbaseSessionTests {
    private let world = PalbaseWorld()

    @Test("is refreshed by exactly the documented request, without a bearer token and never twice by itself")
    func request() async throws {
        _ = try await world.broker().mint()
        let request = try #require(world.provider.requests.first)
        #expect(world.provider.requests.count == 1)
        #expect(request.method == .post)
        #expect(request.path == "/auth/token/refresh")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"refresh_token":"\#(PalbaseWorld.seed)"}"#)
        #expect(!request.isReplayable)
        #expect(request.headers.map(\.name) == ["apikey", "Content-Type", "Accept", "Idempotency-Key"])
        #expect(request.secret("apikey") == Secret(PalbaseWorld.publishableKey.utf8))
        #expect(request.text("Content-Type") == "application/json")
        #expect(request.text("Idempotency-Key")?.wholeMatch(of: #/idmp_[0-9a-f]{32}/#) != nil)
    }

    @Test("gives access tokens with their lifetime, each by the successor of the last refresh token")
    func chain() async throws {
        let broker = world.broker()
        let (first, second) = (try await broker.mint(), try await broker.mint())
        #expect(first.text == TokenText("at-1"))
        #expect(first.expiry == .after(.seconds(1800)))
        #expect(first.requestedAt == world.clock.now())
        #expect(second.text == TokenText("at-2"))
        #expect(world.provider.presented == [PalbaseWorld.seed, "rt-1"])
        #expect(world.provider.keys.values.allSatisfy { $0.count == 1 })
        #expect(Set(world.provider.keys.values.flatMap { $0 }).count == 2)
    }

    @Test("goes on without its seed, and after a restart")
    func successor() async throws {
        _ = try await world.broker().mint()
        world.store.restart()
        #expect(try await world.broker().mint(seed: nil).text == TokenText("at-2"))
        #expect(world.provider.presented == [PalbaseWorld.seed, "rt-1"])
    }

    @Test("waits for its seed while there is none")
    func noSeed() async {
        let failure = await world.broker().failure(seed: nil)
        #expect(failure?.failureClass == .secretUnavailable)
        #expect(failure?.detail == "secret seed: there is no such file")
        for wrong in ["pb_demo_c0123456789abcdef", "two words", "", "ä"] {
            let failure = await world.broker().failure(seed: wrong)
            #expect(failure?.failureClass == .secretUnavailable, "\(wrong)")
        }
        #expect(world.provider.requests.isEmpty)
    }

    // MARK: Seeds

    @Test("that is lost stays so, without another request, until a seed comes that nobody has spent")
    func newSeed() async throws {
        _ = try await world.broker().mint()
        world.provider.signIn("new-seed")
        #expect(await world.broker().failure()?.failureClass == .sessionLost)
        let presented = world.provider.presented.count
        world.store.restart()
        for seed in [PalbaseWorld.seed, nil] {
            let failure = await world.broker().failure(seed: seed)
            #expect(failure?.failureClass == .sessionLost)
            #expect(failure?.detail.contains("sign in anew") == true)
        }
        #expect(world.provider.presented.count == presented)
        #expect(world.provider.takes(try await world.broker().mint(seed: "new-seed").text))
        #expect(world.provider.takes(try await world.broker().mint(seed: "new-seed").text))
        // The old seed is no new one by now.
        #expect(world.provider.takes(try await world.broker().mint().text))
    }

    @Test("gives way to another one whose seed the operator gives")
    func otherSeed() async throws {
        _ = try await world.broker().mint()
        world.provider.signIn("new-seed")
        #expect(try await world.broker().mint(seed: "new-seed").text == TokenText("at-2"))
        #expect(world.provider.presented == [PalbaseWorld.seed, "new-seed"])
    }

    @Test("whose store is lost is lost, and its seed is not presented again")
    func lostStore() async throws {
        _ = try await world.broker().mint()
        world.store.loseAll()
        let failure = await world.broker().failure()
        #expect(failure?.failureClass == .sessionLost)
        #expect(failure?.detail.contains("spent before") == true)
        #expect(world.provider.presented == [PalbaseWorld.seed])
    }

    @Test("whose record cannot be read is as good as lost", arguments: ["", "{}", "junk"])
    func unreadableRecord(payload: String) async throws {
        _ = try await world.broker().mint()
        world.store.overwrite(payload)
        #expect(await world.broker().failure()?.failureClass == .sessionLost)
        world.provider.signIn("new-seed")
        #expect(world.provider.takes(try await world.broker().mint(seed: "new-seed").text))
    }

    @Test("outlives the store in the process that knows it")
    func storeLostWhileRunning() async throws {
        let broker = world.broker()
        _ = try await broker.mint()
        world.store.loseAll()
        #expect(world.provider.takes(try await broker.mint().text))
        #expect(world.provider.presented == [PalbaseWorld.seed, "rt-1"])
        world.store.restart()
        #expect(world.provider.takes(try await world.broker().mint().text))
    }

    @Test("is never begun by two accounts from one seed")
    func oneSeedTwoAccounts() async throws {
        _ = try await world.broker("first").mint()
        #expect(await world.broker("second").failure()?.failureClass == .sessionLost)
        #expect(world.provider.presented == [PalbaseWorld.seed])
        #expect(world.provider.takes(try await world.broker("first").mint().text))
    }

    @Test("is not begun while it cannot be told whether its seed was spent, or that it was be written down")
    func brokenLedger() async throws {
        world.ledger.fail(.unavailable)
        #expect(await world.broker().failure()?.failureClass == .secretUnavailable)
        #expect(world.provider.requests.isEmpty)
        world.ledger.fail(nil)
        _ = try await world.broker().mint()
        world.ledger.fail(.unavailable)
        #expect(world.provider.takes(try await world.broker().mint().text), "it is of no use to a session under way")
        #expect(world.provider.takes(try await world.broker().mint(seed: "other").text))
        #expect(world.provider.presented == [PalbaseWorld.seed, "rt-1", "rt-2"])
    }

    // MARK: The store

    @Test("spends nothing without a store, and says what to configure")
    func noStore() async {
        let definition = ProviderDefinition(
            name: "palbase",
            kind: "palbase",
            baseURL: "https://demo.palbase.studio",
            secret: "key",
            timeout: .seconds(10),
            options: Options(["project": "demo", "session": "seed"])
        )
        let broker = PalbaseWorld.Broker(
            provider: PalbaseProvider(definition, .fake(world.provider)),
            model: world.provider
        )
        let failure = await broker.failure()
        #expect(failure?.failureClass == .secretUnavailable)
        #expect(failure?.detail.contains("configure store") == true)
        #expect(world.provider.requests.isEmpty)
    }

    @Test("spends nothing while the store does not keep what is about to happen")
    func fullStore() async throws {
        world.store.allowWrites(0)
        let broker = world.broker()
        #expect(await broker.failure()?.failureClass == .secretUnavailable)
        #expect(world.provider.requests.isEmpty)
        world.store.allowWrites(nil)
        #expect(world.provider.takes(try await broker.mint().text))
    }

    @Test("serves no token while the store does not keep its successor, and serves that very one when it does")
    func successorNotKept() async throws {
        let broker = world.broker()
        world.store.allowWrites(1)
        for _ in 0..<3 {
            let failure = await broker.failure()
            #expect(failure?.failureClass == .secretUnavailable)
            #expect(failure?.detail.contains("made to fail") == true)
            world.clock.advance(by: .seconds(60))
        }
        world.store.allowWrites(nil)
        #expect(try await broker.mint().text == TokenText("at-1"))
        #expect(world.provider.presented == [PalbaseWorld.seed])
        #expect(world.provider.takes(try await broker.mint().text))
    }

    @Test("refreshes once more when the token that was held back has ended meanwhile")
    func heldBackTooLong() async throws {
        let broker = world.broker()
        world.store.allowWrites(1)
        _ = await broker.failure()
        world.clock.advance(by: .seconds(1800))
        world.store.allowWrites(nil)
        #expect(try await broker.mint().text == TokenText("at-2"))
        #expect(world.provider.presented == [PalbaseWorld.seed, "rt-1"])
    }

    @Test("keeps its successor in a store that was begun anew while the provider answered")
    func storeLostMeanwhile() async throws {
        let sender = InterruptedSender(world.provider) { [world] in world.store.loseAll() }
        _ = try await world.broker(sender: sender).mint()
        world.store.restart()
        #expect(world.provider.takes(try await world.broker().mint().text))
    }

    // MARK: Lost answers

    @Test("asks again at once, and once, for an answer that was lost with its connection")
    func lostAnswer() async throws {
        let broker = world.broker(sender: LossySender(world.provider, losses: 1))
        #expect(world.provider.takes(try await broker.mint().text))
        #expect(world.provider.presented == [PalbaseWorld.seed, PalbaseWorld.seed])
        #expect(world.provider.keys[PalbaseWorld.seed]?.count == 1)
        #expect(world.provider.takes(try await broker.mint().text))
    }

    @Test("comes back within the grace for an answer that was lost twice")
    func lostAnswers() async throws {
        let broker = world.broker(sender: LossySender(world.provider, losses: 2))
        #expect(await broker.failure()?.failureClass == .transient)
        #expect(world.provider.presented.count == 2)
        world.clock.advance(by: .seconds(24))
        #expect(world.provider.takes(try await broker.mint().text))
        #expect(world.provider.keys[PalbaseWorld.seed]?.count == 1)
    }

    // MARK: One spender

    @Test("is refreshed by one at a time for the tokens of one account")
    func turns() async throws {
        let broker = world.broker()
        try await withThrowingTaskGroup(of: TokenText.self) { group in
            for _ in 0..<8 { group.addTask { try await broker.mint().text } }
            var texts: [String] = []
            for try await text in group { texts.append(text.revealed) }
            #expect(Set(texts).count == 8)
        }
        #expect(world.provider.presented == [PalbaseWorld.seed] + (1...7).map { "rt-\($0)" })
    }

    @Test("is left alone while another broker refreshes it")
    func otherBroker() async throws {
        let failure = Mutex<MintFailure?>(nil)
        let sender = InterruptedSender(world.provider) { [world] in
            let other = await world.broker().failure()
            failure.withLock { $0 = other }
        }
        #expect(world.provider.takes(try await world.broker(sender: sender).mint().text))
        #expect(failure.withLock { $0 }?.failureClass == .transient)
        #expect(world.provider.presented == [PalbaseWorld.seed])
        #expect(world.provider.takes(try await world.broker().mint().text), "the lease was given back")
    }

    @Test("belongs to the broker that took over from one which was silent for too long")
    func overtaken() async throws {
        let sender = InterruptedSender(world.provider) { [world] in
            world.clock.advance(by: .seconds(20))
            _ = try? await world.broker().mint()
        }
        let late = world.broker(sender: sender)
        #expect(await late.failure()?.failureClass == .transient)
        #expect(world.provider.presented == [PalbaseWorld.seed, PalbaseWorld.seed])
        #expect(world.provider.takes(try await world.broker().mint().text))
        #expect(world.provider.presented.last == "rt-2")
    }
}

/// Lets something happen between the provider's answer and its arrival.
private struct InterruptedSender: HTTPSender {
    let sender: any HTTPSender
    let event: @Sendable () async -> Void

    init(_ sender: any HTTPSender, _ event: @escaping @Sendable () async -> Void) {
        self.sender = sender
        self.event = event
    }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        let answer = try await sender.send(request)
        await event()
        return answer
    }
}

/// Loses the connection before the first answers arrive.
private final class LossySender: HTTPSender {
    private let sender: any HTTPSender
    private let losses: Mutex<Int>

    init(_ sender: any HTTPSender, losses: Int) {
        self.sender = sender
        self.losses = Mutex(losses)
    }

    func send(_ request: UpstreamRequest) async throws(UpstreamFailure) -> UpstreamResponse {
        let answer = try await sender.send(request)
        let isLost = losses.withLock { losses in
            losses -= 1
            return losses >= 0
        }
        if isLost { throw UpstreamFailure(.connectionLost, "host: lost", requestMayHaveBeenSent: true) }
        return answer
    }
}
