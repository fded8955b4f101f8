import Testing

@testable import TokenBroker

@Suite("The first number of a run that knows of none")
struct FirstGenerationTests {
    @Test("is above all of any run before it, however often that was started, and exact in JSON")
    func first() {
        let start = WallInstant(milliseconds: 1_775_000_000_000)
        // Ten restarts in a second, each of which takes a block of its own.
        let restarted = Generation.first(at: start).number + 10 * GenerationSource.blockSize
        #expect(Generation.first(at: start.advanced(by: .seconds(1))).number > restarted)
        let lastYear = WallInstant(milliseconds: 7_258_118_400_000)
        #expect(Generation.first(at: lastYear).number < 1 << 53)
        #expect(Generation.first(at: WallInstant(milliseconds: .max)) == Generation(0))
    }
}

@Suite("Generation source")
struct GenerationSourceTests {
    private func block(_ first: Int64, _ count: Int64) -> GenerationBlock {
        GenerationBlock(first: Generation(first), count: count)
    }

    @Test("goes on with a block, above what was handed out while that was on its way", arguments: [0, 3])
    func blocks(_ meanwhile: Int) {
        var source = GenerationSource(first: 100)
        _ = source.next()
        let asked = source.newest
        for _ in 0..<meanwhile { _ = source.next() }
        source.take(block(asked.number + 1, 4000))
        #expect(source.next() == Generation(101 + Int64(meanwhile)))
        #expect(!source.isWithoutBlock)
    }

    @Test("leaves a block that is not above what was handed out")
    func overtakenBlock() {
        var source = GenerationSource(first: 100)
        source.take(block(1, 50))
        #expect(source.next() == Generation(100))
        #expect(source.isWithoutBlock)
    }

    @Test("counts on where there is no block, and asks for the next one once")
    func exhausted() {
        var source = GenerationSource(first: 1, count: GenerationSource.reserve - 1)
        let first = source.next()
        #expect(source.needsBlock() == first)
        #expect(source.needsBlock() == nil)
        source.take(nil)
        for _ in 0..<GenerationSource.reserve { _ = source.next() }
        #expect(source.next() == Generation(GenerationSource.reserve + 2))
    }

    @Test("leaves out what others have, and never goes back for it")
    func skipping() {
        var source = GenerationSource(first: 10)
        source.skip(through: Generation(20))
        #expect(source.next() == Generation(21))
        source.skip(through: Generation(5))
        #expect(source.next() == Generation(22))
    }
}
