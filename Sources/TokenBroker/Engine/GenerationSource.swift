/// Hands out generation numbers from a block that belongs to this process.
///
/// Where no new block can be had in time it counts on: a token is not kept back for want of a number. The next block is
/// asked for above all that were handed out.
public struct GenerationSource: Sendable {
    /// How many are left when the next block is asked for: more mints than happen while a disk is slow.
    static let reserve: Int64 = 1000
    public static let blockSize: Int64 = 4000

    private var last: Int64
    private var end: Int64
    private var isAsking = false

    /// - Parameter first: the first number of the block.
    init(first: Int64, count: Int64 = .max) {
        last = first - 1
        end = first.addingSaturated(count)
    }

    mutating func next() -> Generation {
        last += 1
        return Generation(last)
    }

    /// The newest number that was handed out.
    var newest: Generation { Generation(last) }

    /// Whether numbers are handed out without a block because none could be had at the start.
    var isWithoutBlock: Bool { end == .max }

    /// The number that the next block has to be above, once for each block that is needed.
    mutating func needsBlock() -> Generation? {
        guard !isAsking, end.subtractingSaturated(last) < Self.reserve else { return nil }
        isAsking = true
        return Generation(last)
    }

    /// Takes a block into use, with what is left of it above the numbers that were handed out while it was on its way.
    ///
    /// - Parameter block: nil where none could be had.
    mutating func take(_ block: GenerationBlock?) {
        isAsking = false
        guard let block, block.last.number > last else { return }
        last = max(last, block.first.number - 1)
        end = block.first.number.addingSaturated(block.count)
    }

    /// Leaves out the numbers up to `generation`.
    mutating func skip(through generation: Generation) {
        last = max(last, generation.number)
    }
}
