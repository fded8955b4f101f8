import Glibc
import HTTPWire
import JSON
import TestSupport
import Testing

@Suite(
    "When there is not enough for everybody",
    .serialized,
    .blocking,
    .enabled(if: Crowd.isPossible, "\(Crowd.reason)")
)
struct ScarcityTests {
    /// A user of the broker that is not the tests' own.
    private static let crowd = Identity(user: 47_110, group: 47_120)
    private static let stranger = Identity(user: 47_111, group: 47_121)

    private func site(descriptors: Int? = nil) throws -> Site {
        try Site(descriptors: descriptors) { settings, _ in
            settings.addToken("theirs", allow: "{ user: 47110 }", options: Site.onDemand)
        }
    }

    private func shortages(_ site: Site) -> Int {
        site.broker.log.lines.count { $0.contains("Out of descriptors") }
    }

    // MARK: Descriptors

    @Test("out of descriptors, operators are answered, tokens are minted, and nothing spins")
    func outOfDescriptors() throws {
        let site = try site(descriptors: 64)
        #expect(try site.broker.fetch("web").status == 200)
        var crowd: Crowd? = try Crowd(site.broker.appsSocket, dripping: 200, as: Self.crowd)
        try site.broker.log.line(with: "warning Out of descriptors", "socket=apps")
        let before = try site.broker.processorTime
        for _ in 0..<10 {
            #expect(try site.broker.admin(.get, "/healthz").status == 200)
            #expect(try site.broker.admin(.post, "/v1/tokens/web/refresh").status == 200)
            usleep(100_000)
        }
        let used = try site.broker.processorTime - before
        #expect(used < .milliseconds(500))
        #expect(try site.simulator.mints() == 11)
        #expect(shortages(site) == 1)
        #expect(crowd != nil)
        crowd = nil
        #expect(try site.broker.fetch("web").status == 200)
        #expect(try site.broker.openDescriptors ?? 64 < 64)
    }

    @Test("idle connections make room for those who ask, and nobody who asks is cut off")
    func idleMakeRoom() throws {
        let site = try site(descriptors: 64)
        let crowd = try Crowd(site.broker.appsSocket, silent: 200, as: Self.crowd)
        for _ in 0..<20 { #expect(try site.broker.fetch("web").status == 200) }
        #expect(shortages(site) == 1)
        withExtendedLifetime(crowd) {}
    }

    // MARK: Crowds

    @Test("a thousand idle and a hundred dripping clients of another user leave an honest one served")
    func crowd() throws {
        let site = try site()
        let crowd = try Crowd(site.broker.appsSocket, idle: 1000, dripping: 100, as: Self.crowd)
        let honest = try site.broker.connect()
        for _ in 0..<200 {
            #expect(try honest.exchange(.get, "/v1/tokens/web").status == 200)
            #expect(try site.broker.fetch("web").status == 200)
        }
        try crowd.askAgain()
        #expect(try site.broker.admin(.get, "/healthz").status == 200)
    }

    @Test("users whom no grant names share 64 connections, and take nobody else's")
    func strangers() throws {
        let site = try site()
        let crowd = try Crowd(site.broker.appsSocket, idle: 64, as: Self.stranger)
        let other = Identity(user: 47_112, group: 47_122)
        for identity in [Self.stranger, other] {
            let refused = try site.broker.apps(as: identity).send(.get, "/v1/whoami")
            #expect(refused.status == 503)
            #expect(refused.code == "too_many_connections")
        }
        #expect(try site.broker.apps(as: Self.crowd).send(.get, "/v1/tokens/theirs").status == 200)
        #expect(try site.broker.fetch("web").status == 200)
        try site.broker.rewrite(site.settings.text.replacing("47110", with: "47111"))
        #expect(try site.broker.admin(.post, "/v1/reload").status == 200)
        #expect(try site.broker.apps(as: Self.stranger).send(.get, "/v1/tokens/theirs").status == 200)
        #expect(try site.broker.apps(as: other).send(.get, "/v1/whoami").status == 200)
        try crowd.askAgain()
    }

    @Test(
        "ten thousand idle connections are held, and served when they ask again",
        .enabled(if: hardLimit > 10_500, "it takes a hard limit of 10,500 descriptors (ulimit -Hn)")
    )
    func tenThousand() throws {
        let site = try site()
        let crowd = try Crowd(site.broker.appsSocket, idle: 10_000)
        #expect(try site.broker.openDescriptors ?? 0 > 10_000)
        #expect(try site.broker.fetch("web").status == 200)
        try crowd.askAgain()
        #expect(shortages(site) == 0)
    }

    @Test("a client that says nothing is let be, holds nobody up, and is served when it asks")
    func silent() throws {
        let site = try site()
        let silent = try site.broker.connect()
        #expect(try site.broker.fetch("web").status == 200)
        usleep(300_000)
        #expect(try silent.exchange(.get, "/v1/tokens/web").status == 200)
    }

    // MARK: Waiting

    @Test("callers who wait for one provider hold half of a user's connections, and the rest still works")
    func waitingCallers() throws {
        let site = try Site { settings, simulator in
            settings.extra = ["limits: { connections_per_uid: 20 }"]
            settings.addToken("slow", options: Site.onDemand)
        }
        #expect(try site.broker.fetch("web").status == 200)
        try site.simulator.behave(["hang": true])
        let waiting = try (0..<10).map { _ in
            let connection = try site.broker.connect()
            try connection.send("GET /v1/tokens/slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return connection
        }
        try Deadline.until("all wait") { try site.broker.status(of: "slow")["waiters"] == 10 }
        let start = ContinuousClock.now
        let refused = try site.broker.fetch("slow")
        #expect(refused.status == 503)
        #expect(refused.code == "too_many_connections")
        #expect(ContinuousClock.now - start < .seconds(9))
        #expect(try site.broker.fetch("web").status == 200)
        withExtendedLifetime(waiting) {}
    }

    private static let hardLimit: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_max)
    }()
}
