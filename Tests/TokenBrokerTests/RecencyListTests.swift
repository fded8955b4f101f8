import Testing

@testable import TokenBroker

@Suite("Recency list")
struct RecencyListTests {
    @Test("is in the order of the last use, whatever is used again or taken out of the middle")
    func order() {
        var list = RecencyList<Int>()
        for key in 1...5 { list.use(key) }
        list.use(1)
        list.remove(3)
        list.remove(9)
        #expect(drained(&list) == [2, 4, 5, 1])
    }

    @Test("a key that takes the place of one that was removed comes last")
    func placeUsedAgain() {
        var list = RecencyList<Int>()
        for key in 1...4 { list.use(key) }
        list.remove(2)
        list.remove(3)
        for key in [5, 6, 7, 5] { list.use(key) }
        #expect(list.count == 5)
        #expect(drained(&list) == [1, 4, 6, 7, 5])
    }

    @Test("starts anew when it has become empty")
    func refilled() {
        var list = RecencyList<Int>()
        for key in 1...3 { list.use(key) }
        #expect(drained(&list) == [1, 2, 3])
        for key in [3, 1, 2] { list.use(key) }
        #expect(list.count == 3)
        #expect(drained(&list) == [3, 1, 2])
        #expect(list.oldest == nil)
    }

    private func drained(_ list: inout RecencyList<Int>) -> [Int] {
        var keys: [Int] = []
        while let key = list.oldest {
            keys.append(key)
            list.remove(key)
        }
        return keys
    }
}
