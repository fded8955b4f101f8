/// The entries by their keys, each in memory of its own.
///
/// A dictionary's slots can be more than half empty, and all are moved when it grows. With the entries in them, a token
/// would take twice the memory.
struct EntryTable {
    private final class Place {
        /// Nil only while a caller takes the entry out.
        var entry: TokenEntry?

        init(_ entry: TokenEntry?) {
            self.entry = entry
        }

        var tally: Tally { Tally(entry) }
    }

    /// What is counted of end users' entries as they change, because there can be a hundred thousand of them.
    fileprivate struct Tally: Equatable {
        let bytes: Int
        let sound: Int
        let waiters: Int

        init(_ entry: TokenEntry?) {
            bytes = entry?.bytes ?? 0
            sound = entry?.isSound == true ? 1 : 0
            waiters = entry?.waiters ?? 0
        }
    }

    /// Of the entries of one name's users.
    struct UserCounts: Equatable {
        /// Those that have a token and no failed attempt since.
        fileprivate(set) var sound = 0
        /// The callers who wait.
        fileprivate(set) var waiters = 0
    }

    private var places: [TokenKey: Place] = [:]
    /// What the tokens and details of end users take, in bytes.
    private(set) var userBytes = 0
    private(set) var userCounts: [Name: UserCounts] = [:]

    var count: Int { places.count }
    var isEmpty: Bool { places.isEmpty }
    /// As they are now, so that the entries may change while a caller goes over them.
    var keys: [TokenKey] { Array(places.keys) }

    subscript(key: TokenKey) -> TokenEntry? {
        get { places[key]?.entry }
        _modify {
            guard let index = places.index(forKey: key) else {
                var entry: TokenEntry?
                defer { if let entry { add(entry, key) } }
                yield &entry
                return
            }
            if !isKnownUniquelyReferenced(&places.values[index]) {
                places.values[index] = Place(places.values[index].entry)
            }
            let before = key.subject == nil ? nil : places.values[index].tally
            defer {
                if let before { count(places.values[index].tally, insteadOf: before, key.name) }
                if places.values[index].entry == nil { places.remove(at: index) }
            }
            yield &places.values[index].entry
        }
    }

    func contains(_ key: TokenKey) -> Bool { places[key] != nil }

    mutating func removeValue(forKey key: TokenKey) -> TokenEntry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        if key.subject != nil { count(Tally(nil), insteadOf: place.tally, key.name) }
        return place.entry
    }

    /// Takes in the entry of a key that has none: one search of the table, where the subscript takes two.
    mutating func add(_ entry: TokenEntry, _ key: TokenKey) {
        if key.subject != nil { count(Tally(entry), insteadOf: Tally(nil), key.name) }
        places[key] = Place(entry)
    }

    private mutating func count(_ tally: Tally, insteadOf before: Tally, _ name: Name) {
        guard tally != before else { return }
        userBytes += tally.bytes - before.bytes
        guard tally.sound != before.sound || tally.waiters != before.waiters else { return }
        userCounts[name, default: UserCounts()].sound += tally.sound - before.sound
        userCounts[name, default: UserCounts()].waiters += tally.waiters - before.waiters
    }

    mutating func reserveCapacity(_ count: Int) {
        places.reserveCapacity(count)
    }
}
