/// Who watches which descriptor, indexed by the descriptor's number: the kernel hands out the lowest free one, so the
/// table stays as small as the number of open descriptors.
struct WatchTable {
    private struct Entry {
        var handler: (any ReadinessHandler)?
        var generation: UInt32 = 0
        var interest: Interest = []
    }

    private var entries: [Entry] = []
    private var lastGeneration: UInt32 = 0

    /// Reserves the descriptor for a handler. Traps when it is watched already.
    mutating func insert(_ handler: any ReadinessHandler, descriptor: Int32, interest: Interest) -> Watch {
        let index = Int(descriptor)
        while entries.count <= index { entries.append(Entry()) }
        precondition(entries[index].handler == nil, "watched twice, or closed before unwatch")
        // Wrapping round is harmless: an event outlives its registration by one turn, not by four billion.
        lastGeneration &+= 1
        entries[index] = Entry(handler: handler, generation: lastGeneration, interest: interest)
        return Watch(descriptor: descriptor, generation: lastGeneration)
    }

    /// - Returns: Whether the registration was still there.
    mutating func remove(_ watch: Watch) -> Bool {
        guard handler(of: watch) != nil else { return false }
        entries[Int(watch.descriptor)] = Entry()
        return true
    }

    /// - Returns: Whether the registration is there and its interest was another one.
    mutating func change(_ watch: Watch, to interest: Interest) -> Bool {
        guard handler(of: watch) != nil, entries[Int(watch.descriptor)].interest != interest else { return false }
        entries[Int(watch.descriptor)].interest = interest
        return true
    }

    /// The handler of exactly this registration; none when it ended, even if the number is watched again.
    func handler(of watch: Watch) -> (any ReadinessHandler)? {
        let index = Int(watch.descriptor)
        guard index < entries.count, entries[index].generation == watch.generation else { return nil }
        return entries[index].handler
    }
}
