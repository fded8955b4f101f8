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

    /// The newest number, where numbers are handed out without a block because none could be had at the start.
    var newestWithoutBlock: Generation? {
        end == .max ? Generation(last) : nil
    }

    /// The number that the next block has to be above, once for each block that is needed.
    mutating func needsBlock() -> Generation? {
        guard !isAsking, end.subtractingSaturated(last) < Self.reserve else { return nil }
        isAsking = true
        return Generation(last)
    }

    /// - Parameter block: nil where none could be had.
    mutating func take(_ block: GenerationBlock?) {
        isAsking = false
        guard let block, block.first.number > last else { return }
        last = block.first.number - 1
        end = block.first.number.addingSaturated(block.count)
    }
}
