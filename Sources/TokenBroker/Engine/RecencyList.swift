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
        let unused = free.last ?? nodes.count
        // One search finds the place or notes the new one.
        let place = { (place: inout Int) in place }(&places[key, default: unused])
        guard place != newestPlace else { return }
        if place == unused { occupy(place, with: key) } else { unlink(place) }
        link(place)
    }

    private mutating func occupy(_ place: Int, with key: Key) {
        if free.popLast() == nil { nodes.append(Node(key: key)) } else { nodes[place] = Node(key: key) }
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
