import Testing

@testable import HTTPWire

@Suite("Searching for a byte")
struct ByteSearchTests {
    @Test(
        "finds the first, wherever it stands and whatever stands beside it",
        arguments: [0x00, 0x0C, 0x0E, 0x8D, 0xFF]
    )
    func first(neighbour: UInt8) {
        for place in 0..<20 {
            for other in place..<20 {
                var bytes = [UInt8](repeating: neighbour, count: 20)
                bytes[place] = 0x0D
                bytes[other] = 0x0D
                let span = bytes.span
                #expect(span.firstIndex(of: 0x0D, in: 0..<20) == place)
                #expect(span.firstIndex(of: 0x0D, in: 0..<place) == nil, "not behind the range's end")
                #expect(span.firstIndex(of: 0x0D, in: place + 1..<20) == (other > place ? other : nil))
            }
        }
    }
}
