/// The instants at which something is due, soonest first: what one timer needs to serve any number of keys.
///
/// A key that is due again is pushed again; what is out of date is told by the caller and skipped when it surfaces.
struct DeadlineHeap<Key> {
    private var items: [(instant: BootInstant, key: Key)] = []

    var count: Int { items.count }
    var first: (instant: BootInstant, key: Key)? { items.first }

    mutating func push(_ key: Key, at instant: BootInstant) {
        items.append((instant, key))
        // In a buffer an exchange moves the keys; in an array it would copy them.
        items.withUnsafeMutableBufferPointer { items in
            var child = items.count - 1
            while child > 0 {
                let parent = (child - 1) / 2
                guard items[child].instant < items[parent].instant else { break }
                items.swapAt(child, parent)
                child = parent
            }
        }
    }

    mutating func reserveCapacity(_ count: Int) {
        items.reserveCapacity(count)
    }

    mutating func popFirst() -> (instant: BootInstant, key: Key)? {
        guard let first = items.first else { return nil }
        items.swapAt(0, items.count - 1)
        items.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && items[child].instant < items[smallest].instant {
                smallest = child
            }
            guard smallest != parent else { return first }
            items.swapAt(parent, smallest)
            parent = smallest
        }
    }

    mutating func removeAll() {
        items.removeAll()
    }
}
