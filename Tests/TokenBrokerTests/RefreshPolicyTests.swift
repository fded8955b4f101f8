import Testing

@testable import TokenBroker

@Suite("Refresh policy")
struct RefreshPolicyTests {
    @Test(
        "refreshes at 70 to 85 % of the lifetime, with 30 s to spare where the lifetime allows it",
        arguments: [1, 2, 5, 10, 30, 59, 60, 61, 100, 300, 600, 3600, 86400, 30 * 86400, 400 * 86400]
    )
    func refreshPoint(_ seconds: Int64) {
        var random = SeededRandom(seed: UInt64(seconds))
        let lifetime = Duration.seconds(seconds)
        for _ in 0..<200 {
            let age = RefreshPolicy.ageAtRefresh(lifetime: lifetime, using: &random)
            let rest = lifetime - age
            #expect(age >= lifetime.scaled(by: 0.5))
            #expect(age <= lifetime.scaled(by: 0.85))
            if seconds >= 60 { #expect(rest >= .seconds(30)) }
            if seconds >= 200 { #expect(age >= lifetime.scaled(by: 0.70)) }
            let clientAge = age + RefreshPolicy.clientDelay(rest: rest)
            #expect(clientAge > age)
            #expect(clientAge < lifetime)
        }
    }

    @Test("backoff grows, is capped, and never draws no pause at all")
    func backoff() {
        var random = SeededRandom(seed: 3)
        let backoff = Backoff(base: .seconds(1), cap: .seconds(60))
        for attempt in 1...100 {
            let window = min(Duration.seconds(60), .seconds(1) * (1 << min(attempt - 1, 10)))
            for _ in 0..<50 {
                let delay = backoff.delay(attempt: attempt, using: &random)
                #expect(delay >= .milliseconds(200))
                #expect(delay < window)
            }
        }
    }

    @Test("a heap gives back its instants in order")
    func heap() {
        var random = SeededRandom(seed: 9)
        var heap = DeadlineHeap<Int>()
        let instants = (0..<1000).map { _ in Int64.random(in: 0..<500, using: &random) }
        for (key, instant) in instants.enumerated() { heap.push(key, at: BootInstant(nanoseconds: instant)) }
        var popped: [Int64] = []
        while let item = heap.popFirst() {
            #expect(instants[item.key] == item.instant.nanoseconds)
            popped.append(item.instant.nanoseconds)
        }
        #expect(popped == instants.sorted())
    }

    @Test("a budget gives its capacity at once and then one an interval")
    func bucket() {
        var bucket = ForcedMintBudget()
        let start = BootInstant(nanoseconds: 0)
        let taken = [0, 30, 86400].map { seconds in
            let now = start.advanced(by: .seconds(seconds))
            return (0..<10).count { _ in bucket.take(at: now) }
        }
        #expect(taken == [5, 1, 5])
    }
}
