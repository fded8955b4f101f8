import Testing

@testable import TokenBroker

@Suite("Limits for each client and for all")
struct RateLimitTests {
    private let start = BootInstant(nanoseconds: 0)

    private func limit(all: Int64 = 1000) -> Meter {
        Meter(
            ClientLimit(
                each: RateLimit(burst: 3, interval: .seconds(10)),
                all: RateLimit(burst: all, interval: .seconds(1))
            )
        )
    }

    @Test("let a burst through, and then one each interval")
    func burst() {
        let limit = limit()
        for _ in 0..<3 { #expect(limit.take("ann", at: start) == nil) }
        #expect(limit.take("ann", at: start) == .seconds(10))
        #expect(limit.take("ann", at: start.advanced(by: .milliseconds(9999))) == .milliseconds(1))
        #expect(limit.take("ann", at: start.advanced(by: .seconds(10))) == nil)
        #expect(limit.take("ann", at: start.advanced(by: .seconds(10))) == .seconds(10))
        // A whole burst is back, and no more than that.
        let later = start.advanced(by: .seconds(1000))
        for _ in 0..<3 { #expect(limit.take("ann", at: later) == nil) }
        #expect(limit.take("ann", at: later) != nil)
    }

    @Test("do not let one client use up what is another's")
    func others() {
        let limit = limit(all: 5)
        for _ in 0..<100 { _ = limit.take("ann", at: start) }
        #expect(limit.take("bob", at: start) == nil)
    }

    @Test("hold for all clients together, known or not")
    func all() {
        let limit = limit(all: 5)
        for index in 0..<5 { #expect(limit.take("client \(index)", at: start) == nil) }
        #expect(limit.take("another", at: start) == .seconds(1))
        #expect(limit.take(nil, at: start) == .seconds(1))
        #expect(limit.take(nil, at: start.advanced(by: .seconds(1))) == nil)
    }

    @Test("tell clients that nobody can tell apart only all together")
    func unknown() {
        let limit = limit(all: 100)
        for _ in 0..<100 { #expect(limit.take(nil, at: start) == nil) }
    }

    @Test("remember nobody whom they refuse")
    func refused() {
        let limit = limit(all: 5)
        for index in 0..<1000 { _ = limit.take("client \(index)", at: start) }
        #expect(limit.limit.clientCount == 5)
    }

    @Test("remember no more clients than the limit for all lets through")
    func memory() {
        let limit = limit(all: 50)
        for index in 0..<100_000 {
            _ = limit.take("client \(index)", at: start.advanced(by: .milliseconds(index * 10)))
        }
        // A second apart, and each is remembered for ten.
        #expect(limit.limit.clientCount < 250)
    }
}

/// A limit that an expectation can take from.
private final class Meter {
    var limit: ClientLimit<String>

    init(_ limit: ClientLimit<String>) {
        self.limit = limit
    }

    func take(_ client: String?, at now: BootInstant) -> Duration? {
        limit.take(client, at: now)
    }
}
