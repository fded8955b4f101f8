internal import TokenBroker

/// The rows that were found not to open, for as long as they are there.
///
/// They are kept apart from the vault: one that is opened again after a failure has not read them anew.
final class UnreadableRows {
    private struct Place: Hashable {
        let table: Table
        let scope: String
        let code: [UInt8]
    }

    private var places: Set<Place> = []

    var count: Int { places.count }

    func note(_ table: Table, scope: String, code: [UInt8]) {
        places.insert(Place(table: table, scope: scope, code: code))
    }

    /// There is another row in its place by now, or none.
    func forget(_ table: Table, scope: String, code: [UInt8]) {
        guard !places.isEmpty else { return }
        places.remove(Place(table: table, scope: scope, code: code))
    }

    func forgetAll() {
        places = []
    }
}
