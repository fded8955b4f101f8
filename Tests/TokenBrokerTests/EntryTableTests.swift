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

    @Test("hands out the entry that is taken away")
    func removal() {
        var entries = EntryTable()
        entries[key] = TokenEntry()
        entries[key]?.failures = 3
        #expect(entries.removeValue(forKey: key)?.failures == 3)
        #expect(entries.removeValue(forKey: key) == nil)
    }
}
