/// Keys in the order of their last use, each operation in constant time.
///
/// A doubly linked list in an array: places of removed keys are used again.
struct RecencyList<Key: Hashable & Sendable>: Sendable {
    private struct Node {
        var key: Key
        var older: Int?
        var newer: Int?
    }

    private var nodes: [Node] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var oldestPlace: Int?
    private var newestPlace: Int?

    var count: Int { places.count }

    /// The key that was not used for longest.
    var oldest: Key? { oldestPlace.map { nodes[$0].key } }

    mutating func reserveCapacity(_ count: Int) {
        nodes.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// Makes `key` the one used last; takes it in where it is new.
    mutating func use(_ key: Key) {
        if let place = places[key] {
            guard place != newestPlace else { return }
            unlink(place)
            link(place)
        } else {
            let place = free.popLast() ?? nodes.count
            let node = Node(key: key)
            if place == nodes.count { nodes.append(node) } else { nodes[place] = node }
            places[key] = place
            link(place)
        }
    }

    mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        // An empty list gives its memory back: what a crowd once needed is not kept for ever.
        guard !places.isEmpty else {
            self = RecencyList()
            return
        }
        unlink(place)
        free.append(place)
    }

    private mutating func link(_ place: Int) {
        nodes[place].older = newestPlace
        nodes[place].newer = nil
        if let newestPlace { nodes[newestPlace].newer = place }
        newestPlace = place
        if oldestPlace == nil { oldestPlace = place }
    }

    private mutating func unlink(_ place: Int) {
        let (older, newer) = (nodes[place].older, nodes[place].newer)
        if let older { nodes[older].newer = newer } else { oldestPlace = newer }
        if let newer { nodes[newer].older = older } else { newestPlace = older }
    }
}
