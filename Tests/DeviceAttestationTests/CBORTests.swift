import Testing

@testable import DeviceAttestation

@Suite("CBOR")
struct CBORTests {
    private func read(_ bytes: [UInt8], _ limits: CBORLimits = CBORLimits()) -> Result<CBORValue, CBORError> {
        Result { () throws(CBORError) in try CBORValue(parsing: bytes, limits: limits) }
    }

    @Test(
        "reads the kinds that attestations are made of",
        arguments: [
            ([0x00], .unsigned(0)), ([0x17], .unsigned(23)), ([0x18, 0xFF], .unsigned(255)),
            ([0x19, 0x01, 0x00], .unsigned(256)), ([0x1A, 0, 1, 0, 0], .unsigned(65536)),
            ([0x1B] + [UInt8](repeating: 0xFF, count: 8), .unsigned(.max)),
            ([0x20], .negative(0)), ([0x38, 0x64], .negative(100)), ([0x39, 0x01, 0x00], .negative(256)),
            ([0x3A, 0, 1, 0, 0], .negative(65536)), ([0x3B] + [UInt8](repeating: 0xFF, count: 8), .negative(.max)),
            ([0x40], .bytes([])), ([0x42, 1, 2], .bytes([1, 2])), ([0x60], .text("")),
            ([0x62, 0xC3, 0xA9], .text("é")),
            ([0x80], .array([])), ([0x82, 0x01, 0x41, 7], .array([.unsigned(1), .bytes([7])])),
            ([0xA0], .map([])), ([0xA1, 0x26, 0xF5], .map([CBOREntry(key: CBORValue(-7), value: .bool(true))])),
            ([0xF4], .bool(false)), ([0xF6], .null),
        ] as [([UInt8], CBORValue)]
    )
    func values(bytes: [UInt8], value: CBORValue) {
        #expect(read(bytes) == .success(value))
    }

    @Test(
        "refuses what is hostile, or not of these kinds",
        arguments: [
            ([], .truncated), ([0x18], .truncated), ([0x42, 1], .truncated), ([0x82, 1], .truncated),
            ([0xA1, 1], .truncated),
            // Lengths and counts that nothing stands behind.
            ([0x5B] + [UInt8](repeating: 0xFF, count: 8), .truncated),
            ([0x7B, 0x7F] + [UInt8](repeating: 0xFF, count: 7), .truncated),
            ([0x5A, 0xFF, 0xFF, 0xFF, 0xFF, 0], .truncated),
            ([0x9B] + [UInt8](repeating: 0xFF, count: 8), .truncated),
            ([0xBB] + [UInt8](repeating: 0xFF, count: 8), .truncated),
            ([0x9B] + [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 1000), .tooManyItems),
            ([0xBA, 0x7F, 0xFF, 0xFF, 0xFF] + (0..<100).flatMap { [0x18, 0x64 + $0, 0] }, .tooManyItems),
            // Indefinite lengths, in every place that has one.
            ([0x5F, 0x41, 0, 0xFF], .unsupported), ([0x7F, 0x61, 0x61, 0xFF], .unsupported),
            ([0x9F, 0xFF], .unsupported), ([0xBF, 0xFF], .unsupported), ([0xFF], .unsupported),
            ([0x81, 0xFF], .unsupported),
            // Tags, floating-point numbers, undefined.
            ([0xC0, 0], .unsupported), ([0xD8, 24, 0x40], .unsupported), ([0xF9, 0, 0], .unsupported),
            ([0xFA, 0, 0, 0, 0], .unsupported), ([0xFB] + [UInt8](repeating: 0, count: 8), .unsupported),
            ([0xF7], .unsupported),
            // Values that RFC 8949 reserves.
            ([0x1C], .malformed), ([0x5D], .malformed), ([0x3F], .malformed), ([0xDF], .malformed),
            ([0xFC], .malformed),
            ([0x61, 0xFF], .invalidText), ([0x63, 0xED, 0xA0, 0x80], .invalidText),
            ([0xA2, 1, 2, 1, 3], .duplicateKey), ([0xA2, 0x61, 0x61, 1, 0x61, 0x61, 1], .duplicateKey),
            // One key in two spellings.
            ([0xA2, 1, 2, 0x18, 1, 3], .duplicateKey),
            ([0x81, 0xA2, 0x40, 0, 0x40, 0], .duplicateKey),
            ([0x00, 0x00], .trailingBytes), ([0xA0, 0xFF], .trailingBytes),
        ] as [([UInt8], CBORError)]
    )
    func refusals(bytes: [UInt8], error: CBORError) {
        #expect(read(bytes) == .failure(error))
    }

    @Test("reads as deep as the limit and no deeper, however deep it goes", arguments: [0x81, 0xA1] as [UInt8])
    func depth(container: UInt8) {
        func nested(_ depth: Int) -> [UInt8] {
            (0..<depth).flatMap { _ in container == 0x81 ? [container] : [container, 0] } + [0]
        }
        let limit = CBORLimits().depth
        #expect(throws: Never.self) { try read(nested(limit)).get() }
        #expect(read(nested(limit + 1)) == .failure(.tooDeep))
        #expect(read(nested(15000)) == .failure(.tooDeep))
    }

    @Test("reads as many items and bytes as the limits and no more")
    func counts() {
        let limits = CBORLimits()
        let most = [UInt8](repeating: 0, count: limits.items - 1)
        #expect(throws: Never.self) { try read(CBORBytes.head(4, UInt64(most.count)) + most).get() }
        #expect(read(CBORBytes.head(4, UInt64(most.count + 1)) + most + [0]) == .failure(.tooManyItems))
        let longest = [UInt8](repeating: 7, count: limits.bytes - 3)
        #expect(read(CBORBytes.bytes(longest)) == .success(.bytes(longest)))
        #expect(read(CBORBytes.bytes(longest + [7])) == .failure(.tooLong))
    }

    @Test("survives any bytes")
    func noise() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            _ = read(bytes)
        }
    }
}
