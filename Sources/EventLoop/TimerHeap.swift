/// Armed timers, earliest first: a binary heap in which each timer knows its place.
///
/// Knowing the place makes cancelling O(log n) and leaves nothing behind. Putting a timer off, which a connection does
/// on every request, only notes the new deadline: the entry is moved when its old deadline comes round.
struct TimerHeap {
    private struct Entry {
        /// Never after the timer's own deadline.
        var deadline: Int64
        var order: UInt64
        let timer: Timer

        func isBefore(_ other: Entry) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }
    }

    private var entries: [Entry] = []
    private var lastOrder: UInt64 = 0

    /// No timer is due before this, in boot nanoseconds.
    var earliest: Int64? { entries.first?.deadline }

    /// How many timers are armed.
    var count: Int { entries.count }

    /// Arms a timer, or moves one that is armed.
    mutating func set(_ timer: Timer, deadline: Int64) {
        lastOrder += 1
        timer.deadline = deadline
        timer.order = lastOrder
        guard let place = timer.place else {
            entries.append(Entry(deadline: deadline, order: lastOrder, timer: timer))
            return siftUp(from: entries.count - 1)
        }
        guard deadline < entries[place].deadline else { return }
        entries[place].deadline = deadline
        entries[place].order = lastOrder
        siftUp(from: place)
    }

    /// Disarms a timer; nothing happens when it is not armed.
    mutating func remove(_ timer: Timer) {
        guard let place = timer.place else { return }
        timer.place = nil
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        siftDown(from: place)
        siftUp(from: place)
    }

    /// Takes out the next timer whose deadline has come; timers of one deadline in the order they were armed.
    mutating func popDue(at now: Int64) -> Timer? {
        while let first = entries.first, first.deadline <= now {
            guard first.order != first.timer.order else {
                remove(first.timer)
                return first.timer
            }
            entries[0].deadline = first.timer.deadline
            entries[0].order = first.timer.order
            siftDown(from: 0)
        }
        return nil
    }

    private mutating func siftUp(from start: Int) {
        let moving = entries[start]
        var place = start
        while place > 0, moving.isBefore(entries[(place - 1) / 2]) {
            put(entries[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(moving, at: place)
    }

    private mutating func siftDown(from start: Int) {
        let moving = entries[start]
        var place = start
        while let child = smallerChild(of: place), entries[child].isBefore(moving) {
            put(entries[child], at: place)
            place = child
        }
        put(moving, at: place)
    }

    private func smallerChild(of place: Int) -> Int? {
        let left = 2 * place + 1
        guard left < entries.count else { return nil }
        let right = left + 1
        return right < entries.count && entries[right].isBefore(entries[left]) ? right : left
    }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        entry.timer.place = place
    }
}
