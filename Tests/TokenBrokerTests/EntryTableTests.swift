import Testing

@testable import TokenBroker

@Suite("Entry table")
struct EntryTableTests {
    private let key = TokenKey("web")

    @Test("keeps what is put in, changes it in place, and lets go of it")
    func changes() {
        var entries = EntryTable()
        entries[key] = TokenEntry()
        entries[key]?.mints += 2
        #expect(entries[key]?.mints == 2)
        #expect(entries.keys == [key])
        entries[key] = nil
        #expect(entries[key] == nil)
        #expect(entries.isEmpty)
    }

    @Test("a change to an entry that is not there makes none")
    func absent() {
        var entries = EntryTable()
        entries[key]?.mints += 1
        #expect(entries.isEmpty)
    }

    @Test("a copy does not change with the original")
    func copies() {
        var entries = EntryTable()
        entries[key] = TokenEntry()
        let copy = entries
        entries[key]?.mints += 1
        #expect(copy[key]?.mints == 0)
        #expect(entries[key]?.mints == 1)
    }

    @Test("counts the bytes of users' tokens and details as they change, come and go")
    func bytes() {
        let user = TokenKey("web", Subject(id: "user"))
        var entries = EntryTable()
        entries[key] = TokenEntry()
        entries[key]?.details = SubjectDetails(attributes: "not of a user")
        #expect(entries.userBytes == 0)
        var entry = TokenEntry()
        entry.details = SubjectDetails(attributes: "1234")
        entries[user] = entry
        #expect(entries.userBytes == 4)
        entries[user]?.details = SubjectDetails(attributes: "123456")
        #expect(entries.userBytes == 6)
        entries[user] = nil
        #expect(entries.userBytes == 0)
        entries[user] = entry
        #expect(entries.removeValue(forKey: user) != nil)
        #expect(entries.userBytes == 0)
        entries.add(entry, user)
        #expect(entries[user]?.details?.attributes == "1234")
        #expect(entries.userBytes == 4)
    }

    @Test("counts the users of a name who have a token and nothing that failed since, and those who wait for theirs")
    func userCounts() {
        let user = TokenKey("web", Subject(id: "user"))
        var random = SeededRandom(seed: 1)
        let mint = Mint(text: token("t"), expiry: .after(.seconds(60)), requestedAt: Harness.start)
        let lifetime = Lifetime(
            of: mint,
            default: .seconds(60),
            maximum: .seconds(60),
            arrivedAt: Harness.start
        )
        var entries = EntryTable()
        entries[user] = TokenEntry()
        entries[user]?.watchers = [WaiterID(number: 1), WaiterID(number: 2)]
        #expect(entries.userCounts["web"]?.sound == 0)
        #expect(entries.userCounts["web"]?.waiters == 2)
        entries[user]?.current = lifetime.map {
            ServedToken(
                text: mint.text,
                generation: Generation(1),
                issuedAt: Harness.start,
                lifetime: $0,
                using: &random
            )
        }
        #expect(entries.userCounts["web"]?.sound == 1)
        let failure = MintFailure(.transient, detail: "made to fail")
        entries[user]?.setback = Setback(
            failure,
            attempts: 1,
            failedAt: Harness.start,
            retryAt: Harness.start.boot
        )
        #expect(entries.userCounts["web"]?.sound == 0)
        entries[user]?.setback = nil
        entries[user] = nil
        #expect(entries.userCounts["web"] == EntryTable.UserCounts())
    }

    @Test("hands out the entry that is taken away")
    func removal() {
        var entries = EntryTable()
        entries[key] = TokenEntry()
        entries[key]?.failures = 3
        #expect(entries.removeValue(forKey: key)?.failures == 3)
        #expect(entries.removeValue(forKey: key) == nil)
    }
}
