/// Eight bytes looked at together, as one integer.
///
/// A subtraction borrows into a byte's top bit where the byte was too small. It may borrow from the next byte as well, so
/// of the marks made that way only the lowest can be trusted, and only that is used.
struct EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// The first byte lowest.
    private let bits: UInt64

    /// - Parameter word: as it lies in memory.
    init(loaded word: UInt64) {
        bits = UInt64(littleEndian: word)
    }

    /// How many come before the first of that value; 8 where there is none.
    func count(before byte: UInt8) -> Int {
        Self.place(marks(ofZerosIn: bits ^ Self.ones &* UInt64(byte)))
    }

    /// How many come before the first control character, the tab being one here; 8 where there is none.
    var countBeforeControl: Int {
        let belowSpace = (bits &- Self.ones &* 0x20) & ~bits
        return Self.place(belowSpace | marks(ofZerosIn: bits ^ Self.ones &* 0x7F))
    }

    private func marks(ofZerosIn word: UInt64) -> UInt64 {
        (word &- Self.ones) & ~word
    }

    private static func place(_ marks: UInt64) -> Int {
        (marks & (ones &* 0x80)).trailingZeroBitCount / 8
    }
}
