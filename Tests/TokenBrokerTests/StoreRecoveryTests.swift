import TestSupport
import Testing

@testable import TokenBroker

@Suite("A store that works again", .timeLimit(.minutes(5)))
struct StoreRecoveryTests {
    private func broker(on store: InMemoryStore) -> Broker {
        Broker(
            Broker.Supply(
                .account(["web", "ios"]),
                providers: ["account": EagerProvider()],
                secrets: SecretsInForce(["key": Secret("key".utf8)])
            ),
            ports: Broker.Ports(clock: StoppedClock(), observer: NoObserver(), alarmChanged: {}),
            memory: Broker.Memory(
                store: store,
                restored: RestoredState(),
                bootID: BootID("boot-1"),
                generations: GenerationBlock(first: Generation(1), count: GenerationSource.blockSize)
            ),
            seed: 1
        )
    }

    private func token(_ name: Name, of broker: Broker) async -> ServedToken? {
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<TokenAnswer?, Never>) in
            switch broker.ask(TokenKey(name), minimum: .zero, onAnswer: { continuation.resume(returning: $0) }) {
            case .waiting: break
            case .answered(let answer): continuation.resume(returning: answer)
            case nil: continuation.resume(returning: nil)
            }
        }
        return if case .served(let token, _) = answer { token } else { nil }
    }

    @Test("gets what it could not take in, and has then caught up")
    func refilled() async throws {
        let store = InMemoryStore(clock: StoppedClock())
        let broker = broker(on: store)
        store.fail(with: .full)
        let served = [await token("web", of: broker), await token("ios", of: broker)]
        store.mend()
        broker.storeRecovered()
        while !store.calls.contains(.noteCaughtUp) { await Task.yield() }
        let state = try await store.restore()
        #expect(Set(state.tokens.map(\.value.generation)) == Set(served.map { $0?.generation }))
        #expect(!state.isBehind)
    }

    @Test("that fails again while it is filled stays behind")
    func failsAgain() async throws {
        let store = InMemoryStore(clock: StoppedClock())
        let broker = broker(on: store)
        store.fail(with: .full)
        _ = await token("web", of: broker)
        store.mend()
        store.fail([.saveToken], with: .full)
        let saves = store.calls.count { $0 == .saveToken }
        broker.storeRecovered()
        while store.calls.count(where: { $0 == .saveToken }) == saves { await Task.yield() }
        await broker.finishSaving()
        #expect(try await store.restore().isBehind)
        #expect(!store.calls.contains(.noteCaughtUp))
    }

    @Test("lets go of a token that was dropped, and of a pause that ended, while it took nothing in")
    func lettingGo() {
        var harness = Harness(.account(refresh: .onDemand), hasStore: true)
        harness.table.restore(RestoredState(), bootID: BootID("boot-1"), at: harness.now)
        _ = harness.ask("web")
        harness.mint("dropped")
        let stamp = WriteStamp(bootID: BootID("boot-1"), writtenAt: harness.now.wall)
        let hold = StoredHold(
            key: HoldKey(account: "account", endpoint: "mint"),
            failureCode: "provider_rate_limited",
            detail: "asked for a pause",
            until: harness.now.advanced(by: .seconds(500)),
            attempts: 1
        )
        harness.holds = [hold.key: hold]
        let state = RestoredState(
            tokens: harness.saved.map { Stamped($0, stamp) },
            holds: [Stamped(hold, stamp)],
            newestWrite: harness.now.wall
        )
        harness.removed = []
        harness.table.storeRecovered(holding: state, at: harness.now)
        harness.settle()
        #expect(harness.removed.isEmpty)
        #expect(harness.holds.isEmpty)
        _ = harness.table.drop("web", at: harness.now)
        harness.settle()
        harness.removed = []
        harness.table.storeRecovered(holding: state, at: harness.now)
        harness.settle()
        #expect(harness.removed == [StoredTokenKey(TokenKey("web"))])
    }
}

private struct StoppedClock: HostClock {
    func now() -> Moment { Harness.start }
}

private struct EagerProvider: Provider {
    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        guard let text = TokenText("token-\(request.token.name)") else { throw MintFailure(.transient, detail: "none") }
        return Mint(text: text, expiry: .after(.seconds(3600)), requestedAt: Harness.start)
    }
}

private struct NoObserver: EventObserver {
    func observe(_ event: BrokerEvent) {}
}
