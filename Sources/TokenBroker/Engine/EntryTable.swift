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

        var bytes: Int { entry?.bytes ?? 0 }
    }

    private var places: [TokenKey: Place] = [:]
    /// What the tokens and details of end users take, in bytes.
    private(set) var userBytes = 0

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
            let isOfUser = key.subject != nil
            if isOfUser { userBytes -= places.values[index].bytes }
            defer {
                if isOfUser { userBytes += places.values[index].bytes }
                if places.values[index].entry == nil { places.remove(at: index) }
            }
            yield &places.values[index].entry
        }
    }

    func contains(_ key: TokenKey) -> Bool { places[key] != nil }

    mutating func removeValue(forKey key: TokenKey) -> TokenEntry? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        if key.subject != nil { userBytes -= place.bytes }
        return place.entry
    }

    /// Takes in the entry of a key that has none: one search of the table, where the subscript takes two.
    mutating func add(_ entry: TokenEntry, _ key: TokenKey) {
        if key.subject != nil { userBytes += entry.bytes }
        places[key] = Place(entry)
    }

    mutating func reserveCapacity(_ count: Int) {
        places.reserveCapacity(count)
    }
}
