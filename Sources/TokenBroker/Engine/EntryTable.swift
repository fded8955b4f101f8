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
            let bytesBefore = userBytes(of: key)
            defer { userBytes += userBytes(of: key) - bytesBefore }
            if let index = places.index(forKey: key) {
                if !isKnownUniquelyReferenced(&places.values[index]) {
                    places.values[index] = Place(places.values[index].entry)
                }
                yield &places.values[index].entry
                if places.values[index].entry == nil { places.remove(at: index) }
            } else {
                var entry: TokenEntry?
                yield &entry
                if let entry { places[key] = Place(entry) }
            }
        }
    }

    mutating func removeValue(forKey key: TokenKey) -> TokenEntry? {
        userBytes -= userBytes(of: key)
        return places.removeValue(forKey: key)?.entry
    }

    private func userBytes(of key: TokenKey) -> Int {
        key.subject == nil ? 0 : places[key]?.entry?.bytes ?? 0
    }

    mutating func reserveCapacity(_ count: Int) {
        places.reserveCapacity(count)
    }
}
