import TestSupport
import Testing

@testable import TokenBroker

@Suite("A store that can be read only later")
struct LateRestoreTests {
    private static let boot = BootID("boot-1")

    private func harness(_ definition: BrokerDefinition = .account(refresh: .onDemand)) -> Harness {
        Harness(definition, hasStore: true)
    }

    /// What an earlier run of the same boot left of `web`, minted ten minutes before the start.
    private func earlier(_ harness: Harness, _ texts: [(text: String, subject: Subject?)]) -> RestoredState {
        let issuedAt = Harness.start.advanced(by: .seconds(-600))
        let tokens = texts.map { text, subject in
            StoredToken(
                key: StoredTokenKey(TokenKey("web", subject)),
                definitionDigest: harness.table.definition.origin(of: "web") ?? "",
                text: token(text).bytes,
                generation: Generation(7),
                issuedAt: issuedAt,
                lifetime: .seconds(3600),
                providerExpiry: issuedAt.wall.advanced(by: .seconds(3600)),
                refreshAge: .seconds(2800)
            )
        }
        let stamp = WriteStamp(bootID: Self.boot, writtenAt: issuedAt.wall)
        return RestoredState(tokens: tokens.map { Stamped($0, stamp) }, newestWrite: issuedAt.wall)
    }

    private func mend(_ harness: inout Harness, _ state: RestoredState) {
        harness.table.reserved(GenerationBlock(first: Generation(1000), count: 4000))
        harness.table.restore(state, bootID: Self.boot, isLate: true, at: harness.now)
        harness.settle()
    }

    @Test("its token is served where none was minted meanwhile")
    func restores() {
        var harness = harness()
        mend(&harness, earlier(harness, [("old", nil)]))
        #expect(harness.ask("web").asked.served == "old")
        #expect(harness.flights.isEmpty)
        // Not beyond its end, which it was given in the earlier run.
        harness.advance(.seconds(3000))
        #expect(harness.ask("web").asked.served == nil)
    }

    @Test("its token is served while a mint that began meanwhile goes on, and until it brings another")
    func beside() {
        var harness = harness()
        let waiting = harness.ask("web")
        mend(&harness, earlier(harness, [("old", nil)]))
        #expect(harness.ask("web").asked.served == "old")
        harness.fail()
        #expect(harness.answers[waiting.waiter]?.served == "old")
        #expect(harness.ask("web").asked.served == "old")
    }

    @Test("a token that was minted meanwhile counts, alive or not", arguments: [10, 4000])
    func newer(_ age: Int64) {
        var harness = harness()
        _ = harness.ask("web")
        harness.mint("new")
        harness.advance(.seconds(age))
        // However long the earlier one would live.
        let state = earlier(harness, [("old", nil)])
        harness.saved = []
        mend(&harness, state)
        #expect(harness.table.entries[TokenKey("web")]?.current?.text == token("new"))
        #expect(harness.saved.map(\.text) == (age < 3600 ? [token("new").bytes] : []))
    }

    @Test("a token that an operator dropped meanwhile does not come back, and leaves the store")
    func dropped() {
        var harness = harness()
        _ = harness.table.drop("web", at: harness.now)
        harness.settle()
        harness.removed = []
        mend(&harness, earlier(harness, [("old", nil)]))
        #expect(harness.removed == [StoredTokenKey(TokenKey("web"))])
        #expect(harness.ask("web").asked.isWaiting)
    }

    @Test("no more users come back than may be held")
    func users() {
        var limits = Limits()
        limits.endUsers = 2
        var harness = harness(.account(isPerUser: true, limits: limits))
        let state = earlier(harness, (0..<5).map { ("old\($0)", Subject(id: "user\($0)")) })
        mend(&harness, state)
        #expect(harness.table.users.count == 2)
        #expect(harness.removed.count == 3)
    }

    @Test("a pause is waited out, unless the account was asked meanwhile", arguments: [false, true])
    func hold(_ wasAsked: Bool) {
        var harness = harness()
        if wasAsked {
            _ = harness.ask("web")
            harness.fail()
        }
        let hold = StoredHold(
            key: HoldKey(account: "account", endpoint: "mint"),
            failureCode: "provider_rate_limited",
            detail: "asked for a pause",
            until: harness.now.advanced(by: .seconds(500)),
            attempts: 1
        )
        let stamp = WriteStamp(bootID: Self.boot, writtenAt: harness.now.wall)
        mend(&harness, RestoredState(holds: [Stamped(hold, stamp)]))
        #expect((harness.table.account(of: TokenKey("web")).setback != nil) == !wasAsked)
    }

    @Test("its token gets a new generation out of the store's block, and the store gets it with that")
    func generations() {
        var harness = harness()
        mend(&harness, earlier(harness, [("old", nil)]))
        #expect(harness.table.entries[TokenKey("web")]?.current?.generation == Generation(1000))
        #expect(harness.saved.map(\.generation) == [Generation(1000)])
        #expect(harness.hasCaughtUp)
    }

    @Test("the broker reads it when it is told that it works again, and once")
    func broker() async throws {
        let clock = StoppedClock()
        let store = InMemoryStore(clock: clock, bootID: Self.boot)
        for row in earlier(harness(), [("old", nil)]).tokens { try await store.save(row.value) }
        let broker = Broker(
            Broker.Supply(
                .account(refresh: .onDemand),
                providers: ["account": SilentProvider()],
                secrets: SecretsInForce()
            ),
            ports: Broker.Ports(clock: clock, observer: NoObserver(), alarmChanged: {}),
            memory: Broker.Memory(store: store, restored: nil, bootID: Self.boot, generations: nil),
            seed: 1
        )
        broker.storeRecovered()
        broker.storeRecovered()
        await broker.finishSaving()
        let asked = broker.ask(TokenKey("web"), minimum: .zero) { _ in }
        guard case .answered(.served(let served, isDegraded: false))? = asked else { throw NotServed() }
        #expect(served.text == token("old"))
        #expect(!store.calls.contains(.removeToken))
    }
}

private struct NotServed: Error {}

private struct StoppedClock: HostClock {
    func now() -> Moment { Harness.start }
}

private struct SilentProvider: Provider {
    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        throw MintFailure(.transient, detail: "not reached")
    }
}

private struct NoObserver: EventObserver {
    func observe(_ event: BrokerEvent) {}
}
