import Testing

@testable import TokenBroker

@Suite("The broker's count of changes")
struct BrokerChangeCountTests {
    @Test("stays when a caller is served what is held")
    func hit() async throws {
        let broker = try await Broker.serving("at_v1_first")
        let before = broker.changeCount
        let asked = broker.ask(TokenKey("web"), minimum: .zero) { _ in }
        guard case .answered(.served)? = asked else { throw Unserved() }
        #expect(broker.changeCount == before)
    }

    enum Change: CaseIterable {
        case drop, forcedRefresh, rejection, reload, wake, clockStep
    }

    @Test("grows with everything else that happens", arguments: Change.allCases)
    func change(_ change: Change) async throws {
        let broker = try await Broker.serving("at_v1_first")
        let before = broker.changeCount
        switch change {
        case .drop: _ = broker.drop("web")
        case .forcedRefresh: _ = broker.forceRefresh(TokenKey("web")) { _ in }
        case .rejection: _ = broker.reject(TokenKey("web"), token("at_v1_first")) { _ in }
        case .reload: broker.reload(.immediate("at_v1_first", []))
        case .wake: broker.wake()
        case .clockStep: broker.wallClockStepped()
        }
        #expect(broker.changeCount > before)
    }

    @Test("has grown by the time that a mint's caller is answered")
    func mint() async throws {
        let broker = try await Broker.serving("at_v1_first")
        _ = broker.drop("web")
        let before = broker.changeCount
        let after = await withCheckedContinuation { continuation in
            let asked = broker.ask(TokenKey("web"), minimum: .zero) { _ in
                continuation.resume(returning: broker.changeCount)
            }
            if case .answered? = asked { continuation.resume(returning: before) }
        }
        // Once when the mint began, and once when it ended.
        #expect(after >= before + 2)
    }
}

private struct Unserved: Error {}

private struct StoppedClock: HostClock {
    func now() -> Moment { Harness.start }
}

/// Mints the same text at once, however often.
private struct ImmediateProvider: Provider {
    let text: String

    func mint(_ request: MintRequest) async throws(MintFailure) -> Mint {
        Mint(text: token(text), expiry: .after(.seconds(3600)), requestedAt: Harness.start)
    }
}

private struct NoObserver: EventObserver {
    func observe(_ event: BrokerEvent) {}
}

extension Broker.Supply {
    fileprivate static func immediate(_ text: String, _ names: [Name] = ["web"]) -> Broker.Supply {
        Broker.Supply(
            .account(names, refresh: .onDemand),
            providers: ["account": ImmediateProvider(text: text)],
            secrets: SecretsInForce(["key": Secret("key".utf8)])
        )
    }
}

extension Broker {
    /// A broker that has minted `web`.
    fileprivate static func serving(_ text: String) async throws -> Broker {
        let ports = Ports(clock: StoppedClock(), observer: NoObserver(), alarmChanged: {})
        let broker = Broker(.immediate(text), ports: ports, seed: 1)
        let answer = await withCheckedContinuation { continuation in
            let asked = broker.ask(TokenKey("web"), minimum: .zero) { continuation.resume(returning: $0) }
            guard case .waiting? = asked else { preconditionFailure("answered without a mint") }
        }
        guard case .served = answer else { throw Unserved() }
        return broker
    }
}
