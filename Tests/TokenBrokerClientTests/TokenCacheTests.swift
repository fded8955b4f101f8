import HTTPWire
import JSON
import Testing

@testable import TokenBrokerClient

@Suite("What is kept in memory")
struct TokenCacheTests {
    private let now = ManualClock().now()

    private func fetched(_ user: Int, refresh: Int64) throws -> FetchedToken {
        let subject = try TokenSubject("web", EndUser(id: "\(user)"), nil)
        return try FetchedToken(.token(1, refresh: refresh), to: subject, key: subject.key(issuerToken: nil), at: now)
    }

    private func isKept(_ cache: TokenCache, _ user: Int) throws -> Bool {
        let key = try TokenSubject("web", EndUser(id: "\(user)"), nil).key(issuerToken: nil)
        return cache.valid(key, at: now) != nil
    }

    @Test("is bounded: what is to be refreshed first goes, a quarter at a time")
    func bounded() throws {
        let users = 16
        var cache = TokenCache(capacity: users)
        // The users with odd numbers have the tokens that are to be refreshed first.
        for user in 0..<users { cache.store(try fetched(user, refresh: user.isMultiple(of: 2) ? 70 : 60), at: now) }
        #expect(try isKept(cache, 1))
        cache.store(try fetched(users, refresh: 70), at: now)
        let kept = try (0...users).filter { try isKept(cache, $0) }
        #expect(kept.count == users + 1 - users / 4)
        #expect(kept.count { $0.isMultiple(of: 2) } == users / 2 + 1)
    }

    @Test("what has ended goes first, and then no more than that")
    func ended() throws {
        let users = 16
        var cache = TokenCache(capacity: users)
        for user in 0..<users { cache.store(try fetched(user, refresh: 70), at: now) }
        let later = Moment(boot: now.boot + .seconds(100), wall: now.wall + .seconds(100))
        let subject = try TokenSubject("ios", nil, nil)
        let token = try FetchedToken(
            .token(1, lifetime: 300, refresh: 101),
            to: subject,
            key: subject.key(issuerToken: nil),
            at: later
        )
        cache.store(token, at: later)
        #expect(cache.valid(token.key, at: later) != nil)
        #expect(try !isKept(cache, 0))
    }
}
