import Testing

@testable import TokenBroker

@Suite("The bytes of a text")
struct TextBytesTests {
    /// Around the lengths at which whole words are compared, and with it the bytes that are left over.
    @Test("differ wherever one of them does", arguments: [1, 7, 8, 9, 15, 16, 17, 36])
    func difference(length: Int) {
        let text = String(repeating: "a", count: length)
        #expect(text.hasSameBytes(as: String(repeating: "a", count: length)))
        for place in 0..<length {
            var bytes = Array(text.utf8)
            bytes[place] = UInt8(ascii: "b")
            #expect(!text.hasSameBytes(as: String(decoding: bytes, as: UTF8.self)))
        }
    }

    @Test("a text and its beginning are two, and so are texts that only look alike")
    func others() {
        #expect("".hasSameBytes(as: ""))
        #expect(!"".hasSameBytes(as: "a"))
        #expect(!"12345678".hasSameBytes(as: "123456789"))
        #expect("\u{212A}" == "K")
        #expect(!"\u{212A}elvin".hasSameBytes(as: "Kelvin"))
    }
}
