import Testing

@testable import TokenBroker

@Suite("A pause that the store takes in")
struct KeptPauseTests {
    private static let account = HoldKey(account: "account", endpoint: "mint")
    private static let pause = FailureClass.rateLimited

    /// A table beside a store that is slow.
    private func harness() -> Harness {
        var harness = Harness(.account(["web", "ios"], refresh: .onDemand), hasStore: true)
        harness.writing = []
        return harness
    }

    @Test("is told only when a restart would wait it out too, and starts at once")
    func told() {
        var harness = harness()
        let first = harness.ask("web")
        harness.fail(Self.pause, asking: .seconds(60))
        #expect(harness.holds[Self.account]?.until == harness.now.advanced(by: .seconds(60)))
        #expect(harness.answers.isEmpty)
        #expect(harness.ask("ios").asked.answer?.failureClass == Self.pause)
        #expect(harness.flights.isEmpty)
        let second = harness.ask("web")
        harness.finishWriting()
        for caller in [first, second] {
            #expect(harness.answers[caller.waiter]?.failureClass == Self.pause)
            #expect(harness.answers[caller.waiter]?.retryAfter == 60)
        }
        #expect(harness.ask("web").asked.answer?.failureClass == Self.pause)
        #expect(harness.events.count { if case .mintFailed = $0 { true } else { false } } == 1)
    }

    @Test(
        "goes on after a restart under the code and with the answer that began it",
        arguments: [(.rateLimited, 429), (.transient, 503)] as [(FailureClass, Int)]
    )
    func restored(_ failure: FailureClass, _ status: Int) throws {
        var first = harness()
        _ = first.ask("web")
        first.fail(failure, asking: .seconds(60), status: status)
        let hold = try #require(first.holds[Self.account])

        var next = harness()
        let boot = BootID("boot-1")
        let stamp = WriteStamp(bootID: boot, writtenAt: next.now.wall)
        next.table.restore(RestoredState(holds: [Stamped(hold, stamp)]), bootID: boot, at: next.now)
        guard case .answered(.failed(let told, retryAfter: 60))? = next.ask("web").asked else {
            Issue.record("the pause is not waited out")
            return
        }
        #expect(told.failureClass == failure)
        #expect(told.providerStatus == status)
        let shown = try #require(next.status("web"))
        #expect(shown.lastFailure?.failure == told)
        #expect(shown.failuresInARow == 1)
        #expect(shown.state == (failure == .transient ? .backingOff : .rateLimited))
        #expect(next.forceRefresh("web").asked.answer?.failureClass == failure)
    }

    @Test("is told when the mint's time is over, whatever the store does")
    func hangingStore() {
        var harness = harness()
        let caller = harness.ask("web")
        harness.fail(Self.pause, asking: .seconds(60))
        harness.advance(harness.table.definition.limits.mintDeadline)
        #expect(harness.answers[caller.waiter]?.failureClass == Self.pause)
        harness.finishWriting()
        #expect(harness.events.count { if case .mintFailed = $0 { true } else { false } } == 1)
    }

    @Test(
        "is the only failure that waits for the store",
        arguments: [
            (.transient, nil, 503), (.transient, .seconds(60), 408), (.quotaExhausted, .seconds(60), 429),
            (.secretRejected, .seconds(60), 401),
        ] as [(FailureClass, Duration?, Int)]
    )
    func others(_ failure: FailureClass, _ pause: Duration?, _ status: Int) {
        var harness = harness()
        let caller = harness.ask("web")
        harness.fail(failure, asking: pause, status: status)
        #expect(harness.answers[caller.waiter]?.failureClass == failure)
        #expect(harness.holds.isEmpty)
    }

    @Test("is given again to a store that failed and works again")
    func recovered() {
        var harness = harness()
        _ = harness.ask("web")
        harness.fail(Self.pause, asking: .seconds(60))
        harness.finishWriting()
        harness.holds = [:]
        harness.table.storeRecovered(holding: RestoredState(), at: harness.now)
        harness.settle()
        #expect(harness.holds[Self.account] != nil)
    }

    @Test("leaves the store when another key makes it say nothing")
    func changedSecret() {
        var harness = harness()
        _ = harness.ask("web")
        harness.fail(Self.pause, asking: .seconds(60))
        harness.table.keyChanged("key", to: SecretVersionNumber(2), at: harness.now)
        harness.settle()
        harness.finishWriting()
        #expect(harness.holds.isEmpty)
        #expect(harness.ask("web").asked.isWaiting)
    }
}
