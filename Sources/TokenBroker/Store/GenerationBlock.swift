/// Generation numbers that belong to this process for good: the store hands none of them out again.
///
/// What of a block is not used when the process ends stays unused.
public struct GenerationBlock: Hashable, Sendable {
    public let first: Generation
    public let count: Int64

    public init(first: Generation, count: Int64) {
        self.first = first
        self.count = count
    }

    public var last: Generation { Generation(first.number + count - 1) }
}
