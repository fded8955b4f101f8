import Testing

@testable import HTTPWire

@Suite("Control bytes in a head")
struct ControlByteTests {
    /// Heads are looked at eight bytes at a time, so every place in a word counts, and what stands beside it.
    @Test("are refused wherever they stand, and nothing else is", arguments: [0x20, 0x21, 0x7E, 0x80, 0xA0, 0xFF])
    func everywhere(neighbour: UInt8) {
        for byte in UInt8.min...UInt8.max {
            let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
            for place in 0..<17 {
                var value = [UInt8](repeating: neighbour, count: 17)
                value[place] = byte
                let stream = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + value + Array("\r\n\r\n".utf8)
                let transcript = Transcript(stream)
                #expect(transcript.refusal == (isControl ? .malformed : nil), "\(byte) at \(place)")
                #expect(transcript.requests == (isControl ? 0 : 1), "\(byte) at \(place)")
            }
        }
    }
}
